"""The figure of the frontier."""

import io
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from endd.report.frontier_figures import COSTS, frontier_figure
from endd.studies.result import Record, Result
from tests.report.synthetic_frontier import frontier_result, models

FAMILIES = {"single network", "student", "dense student", "Hydra (H)", "ensemble", "ensemble, one after another"}


def deployed(figure: Figure) -> dict[str, list[float]]:
    """By strip: the budgets at which another model is deployed."""
    found = [strip for axes in figure.axes for strip in axes.collections if "deploy" in str(strip.get_gid())]
    return {str(strip.get_gid()): [path.get_extents().x0 for path in strip.get_paths()] for strip in found}


def changed(result: Result, value: float, *which: str) -> Result:
    """With another value in the records whose model begins so, of this metric on these images."""

    def is_meant(record: Record) -> bool:
        return record.model.startswith(which[0]) and (record.metric, record.dataset) == which[1:]

    records = [replace(record, value=value) if is_meant(record) else record for record in result.records]
    return replace(result, records=records)


def test_every_score_stands_against_every_cost() -> None:
    figure = frontier_figure(frontier_result())
    grid = [figure.axes[row : row + 4] for row in range(0, 16, 4)]
    scores = ["NLL", "Accuracy", "KL from the teacher", "Epistemic rank correlation"]
    assert [row[0].get_ylabel() for row in grid] == scores
    times = [f"Milliseconds an image, {rows} at once" for rows in (1, 1024)]
    assert [axes.get_xlabel() for axes in grid[-1]] == [*COSTS.values(), *times]
    assert all(axes.get_xscale() == "log" for axes in figure.axes)
    assert [row[0].get_yscale() for row in grid] == ["linear", "linear", "log", "linear"]
    assert {text.get_text() for text in figure.legends[0].get_texts()} == FAMILIES | {"another ensemble"}
    assert sorted(sizes(grid[1][0])) == sorted(name.partition("_")[2] or "H" for name in models())
    figure.savefig(io.BytesIO(), format="png")


def sizes(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_members_one_after_another_are_in_the_picture() -> None:
    result = frontier_result()
    records = [replace(r, value=5 * r.value) if r.metric.startswith("ms_a_row_loop") else r for r in result.records]
    slow = replace(result, records=records)
    dearest = max(record.value for record in records if record.metric == "ms_a_row_loop@1024")
    assert frontier_figure(slow).axes[3].get_xlim()[1] > dearest


def test_strips_say_what_to_deploy_from_budget_to_budget() -> None:
    budgets = deployed(frontier_figure(frontier_result()))["deploy-multiply_adds-any"]
    # students of width 1, the dense one, 1.5 and 2, ensembles of 5 and 10, and the widest student
    assert [round(budget / 1e6) for budget in budgets] == [41, 82, 92, 170, 210, 410, 650]


def test_every_strip_is_chosen_on_validation_images() -> None:
    result = frontier_result()
    hydra_best_on_test_images = changed(result, 0.01, "hydra", "nll", "clean")
    before, after = (deployed(frontier_figure(one)) for one in (result, hydra_best_on_test_images))
    assert before == after
    assert len(before) == 8


def test_what_tells_both_uncertainties_apart_has_a_strip_of_its_own() -> None:
    singles_best_without_a_split = changed(frontier_result(), 0.1, "single", "nll", "validation")
    strips = deployed(frontier_figure(singles_best_without_a_split))
    assert len(strips["deploy-multiply_adds-any"]) == 1
    assert len(strips["deploy-multiply_adds-split"]) == 7


def test_the_teacher_has_no_place_on_a_logarithmic_axis() -> None:
    result = changed(frontier_result(), 0.0, "ensemble_10", "kl_teacher", "clean")
    axes = frontier_figure(result).axes[8]
    assert axes.get_ylim()[0] > 0
    assert "10" not in sizes(axes)


def test_a_run_that_has_only_begun_can_be_drawn() -> None:
    whole = frontier_result(1)
    begun = replace(whole, records=[record for record in whole.records if record.model == "single_4"])
    frontier_figure(begun).savefig(io.BytesIO(), format="png")
