"""All models of a study in order."""

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
    (table,) = leaderboard(cifar10_result(2), "accuracy")
    first, last = table.rows[0], table.rows[-1]
    assert float(first[3].split(" ")[0]) >= float(last[3].split(" ")[0])


def test_a_metric_that_is_not_there_is_named(toy_result: Result) -> None:
    with pytest.raises(ValueError, match="Expected a metric of the study"):
        leaderboard(toy_result, "beauty")


def test_a_panel_a_data_set(uci_result: Result) -> None:
    figure = leaderboard_figure(uci_result)
    assert [axes.get_title() for axes in figure.axes] == uci_result.datasets()
