"""The figure of the frontier."""

import io
from dataclasses import replace

from endd.report.frontier_figures import frontier_figure
from tests.report.synthetic_frontier import frontier_result, models

FAMILIES = {
    *("single network", "student", "dense student", "Hydra", "ensemble"),
    *("ensemble, one after another", "to deploy for its cost", "the same, with both uncertainties"),
}


def test_scores_and_fidelity_against_costs() -> None:
    figure = frontier_figure(frontier_result())
    labels = [(axes.get_xlabel().split(",")[0], axes.get_ylabel()) for axes in figure.axes]
    assert labels[:4] == [
        ("Multiply-adds an image", "Accuracy"),
        ("Multiply-adds an image", "NLL"),
        ("Parameters", "NLL"),
        ("Milliseconds an image", "NLL"),
    ]
    assert [label for _, label in labels[4:6]] == ["KL from the teacher", "Epistemic rank correlation"]
    assert labels[6] == ("Parameters", "KL from the teacher")
    assert figure.axes[7].get_xlabel() == "Milliseconds an image, 1024 at once"
    assert all(axes.get_xscale() == "log" for axes in figure.axes)
    assert {text.get_text() for text in figure.legends[0].get_texts()} == FAMILIES | {"another ensemble"}
    names = [text.get_text() for text in figure.axes[0].texts]
    assert sorted(names) == sorted(name.partition("_")[2] for name in models())
    figure.savefig(io.BytesIO(), format="png")


def test_the_front_is_ringed() -> None:
    axes = frontier_figure(frontier_result()).axes[1]
    (rings,) = [found for found in axes.collections if found.get_label() == "to deploy for its cost"]
    costs = sorted(rings.get_offsets()[:, 0] / 40_551_040)  # type: ignore[index]
    # students of width 1, the dense one, 1.5 and 2, ensembles of 5 and 10, and the widest student
    assert [round(cost, 1) for cost in costs] == [1.0, 2.0, 2.3, 4.0, 5.0, 10.0, 16.0]


def test_every_panel_rings_what_validation_images_chose() -> None:
    result = frontier_result()
    # on test images alone hydra is the best of all
    records = [
        replace(record, value=0.01)
        if (record.model, record.metric, record.dataset) == ("hydra", "nll", "clean")
        else record
        for record in result.records
    ]
    figures = [frontier_figure(found) for found in (result, replace(result, records=records))]
    ringed = [
        [
            sorted(found.get_offsets()[:, 0])
            for axes in figure.axes
            for found in axes.collections
            if "deploy" in str(found.get_label())
        ]  # type: ignore[index]
        for figure in figures
    ]
    assert ringed[0] == ringed[1]
    assert len(ringed[0]) == 8


def test_what_tells_both_uncertainties_apart_has_a_ring_of_its_own() -> None:
    result = frontier_result()
    # single networks are the best of all, but have no split
    records = [
        replace(record, value=0.1)
        if record.model.startswith("single") and (record.metric, record.dataset) == ("nll", "validation")
        else record
        for record in result.records
    ]
    axes = frontier_figure(replace(result, records=records)).axes[1]
    first, second = (found for found in axes.collections if found.get_label() in FAMILIES and len(found.get_offsets()))
    assert len(first.get_offsets()) == 1
    assert len(second.get_offsets()) == 7


def test_a_run_that_has_only_begun_can_be_drawn() -> None:
    whole = frontier_result(1)
    begun = replace(whole, records=[record for record in whole.records if record.model == "single_4"])
    frontier_figure(begun).savefig(io.BytesIO(), format="png")
