"""The report of the estimators as they come."""

from dataclasses import replace

import pytest

from endd.report.estimators import beside_trees, estimators_report, gain_kept, measure
from endd.studies.result import Record, Result

NLL = {"single": [2.0, 3.0], "ensemble": [1.0, 1.0], "distilled": [1.1, 1.4], "boosting": [1.0, 1.0]}


def made(dataset: str = "wine", **values: list[float]) -> Result:
    found = [
        Record(model, dataset, f"split{place}", 0, metric, value)
        for model, numbers in (NLL | values).items()
        for place, value in enumerate(numbers)
        for metric in ("nll", "train_seconds")
    ]
    return Result("estimators", {"splits": 2, "test_share": 0.2}, {}, found)


def test_the_gain_kept_is_a_ratio_of_means() -> None:
    found = gain_kept(made(), "wine")
    assert found is not None
    assert found.mean == pytest.approx((0.9 + 1.6) / (1 + 2))


def test_without_a_gain_nothing_is_kept() -> None:
    assert gain_kept(made(single=[1.0, 0.9]), "wine") is None
    table, _ = estimators_report(made(single=[1.0, 0.9])).tables
    assert table.rows[0][5] == "-"


def test_classes_are_judged_by_the_log_loss_and_numbers_by_rmse(estimators_result: Result) -> None:
    assert [measure(estimators_result, name) for name in ("wine", "yacht")] == ["nll", "rmse"]
    assert beside_trees(made(), "wine").mean == pytest.approx(1.25)


def test_sets_that_miss_are_named() -> None:
    kept, trees = estimators_report(made()).tables
    assert "On every set at least 80% is kept." in kept.note
    assert "On every set the ratio is at most 1.10 but for wine." in trees.note
    kept, trees = estimators_report(made(distilled=[1.9, 2.0], boosting=[2.0, 2.0])).tables
    assert "On every set at least 80% is kept but for wine." in kept.note
    assert "On every set the ratio is at most 1.10." in trees.note


def test_tables_and_figure(estimators_result: Result) -> None:
    report = estimators_report(estimators_result)
    assert [table.title for table in report.tables] == ["What the student keeps", "Beside boosted trees"]
    assert [row[0] for row in report.tables[0].rows] == ["wine", "yacht"]
    assert report.drawings[0].png.startswith(b"\x89PNG")
    assert "2 random splits with 20%" in report.summary
    one = replace(estimators_result, records=[r for r in estimators_result.records if r.dataset == "wine"])
    assert len(estimators_report(one).tables[1].rows) == 1
