"""All models of a study in order."""

import math
import statistics
from dataclasses import replace

import pytest

from endd.report.leaderboard import leaderboard, leaderboard_figure
from endd.studies.result import Result
from tests.report.synthetic_cifar10 import cifar10_result


def test_the_best_comes_first(uci_result: Result) -> None:
    tables = leaderboard(uci_result)
    assert [table.title for table in tables] == [f"{name}, by nll" for name in uci_result.datasets()]
    for table, dataset in zip(tables, uci_result.datasets(), strict=True):
        found = [uci_result.estimate(row[1], "nll", dataset) for row in table.rows]
        means = [value.mean for value in found if value is not None]
        assert means == sorted(means)
        assert len(means) == len(uci_result.models())


def test_more_accuracy_is_better() -> None:
    for table in leaderboard(cifar10_result(2), "accuracy"):
        first, last = table.rows[0], table.rows[-1]
        assert float(first[3].split(" ")[0]) >= float(last[3].split(" ")[0])


def test_of_a_ratio_one_is_best() -> None:
    for table in leaderboard(cifar10_result(2), "epistemic_ratio"):
        apart = [abs(math.log(float(row[3].split(" ")[0]))) for row in table.rows]
        assert apart == sorted(apart)


def test_corrupted_sets_count_as_one() -> None:
    result = cifar10_result(2)
    clean, corrupted = leaderboard(result)
    assert (clean.title, corrupted.title) == ("clean, by nll", "mean over corrupted sets, by nll")
    assert {row[1] for row in clean.rows} == {row[1] for row in corrupted.rows}
    sets = [name for name in result.datasets() if "-" in name]
    means = [statistics.fmean(result.values("distilled", "nll", name).values()) for name in sets]
    (row,) = (row for row in corrupted.rows if row[1] == "distilled")
    assert float(row[3].split(" ")[0]) == pytest.approx(statistics.fmean(means), abs=6e-4)
    assert [axes.get_title() for axes in leaderboard_figure(result).axes] == ["clean", "mean over corrupted sets"]


def test_a_metric_that_is_not_there_is_named(toy_result: Result) -> None:
    with pytest.raises(ValueError, match="Expected a metric of the study"):
        leaderboard(toy_result, "beauty")


def test_a_panel_a_data_set(uci_result: Result) -> None:
    figure = leaderboard_figure(uci_result)
    assert [axes.get_title() for axes in figure.axes] == uci_result.datasets()


def test_many_panels_are_rows(uci_result: Result) -> None:
    more = [replace(record, dataset=f"{record.dataset} again") for record in uci_result.records]
    figure = leaderboard_figure(replace(uci_result, records=[*uci_result.records, *more]))
    assert len(figure.axes) == 4
    assert figure.get_size_inches()[0] < 15
    assert figure.axes[3].get_position().y0 < figure.axes[0].get_position().y0


def test_means_over_fewer_values_are_told() -> None:
    result = cifar10_result(2)
    fewer = replace(result, records=[r for r in result.records if (r.model, r.seed) != ("mixture", 1)])
    whole, part = leaderboard(result)[0], leaderboard(fewer)[0]
    assert "values" not in whole.header
    values = {row[1]: row[part.header.index("values")] for row in part.rows}
    assert (values["mixture"], values["single"]) == ("1", "2")
    assert "how many the means are of" in part.note


@pytest.mark.parametrize(("metric", "best"), [("coverage95", 0.95), ("variance_ratio", 1.0)])
def test_nearest_is_best(metric: str, best: float, uci_result: Result) -> None:
    for table in leaderboard(uci_result, metric):
        apart = [abs(float(row[3].split(" ")[0]) - best) for row in table.rows]
        assert apart == sorted(apart)


def test_where_the_ensemble_has_no_score_gaps_are_to_the_best(uci_result: Result) -> None:
    for table, axes in zip(
        leaderboard(uci_result, "kl_teacher"), leaderboard_figure(uci_result, "kl_teacher").axes, strict=True
    ):
        assert "ensemble" not in {row[1] for row in table.rows}
        assert all(row[2] != "-" for row in table.rows)
        assert axes.get_xlabel() == f"kl_teacher minus that of {table.rows[0][1]}"
