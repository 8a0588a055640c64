"""Targets: what is met, and what is not."""

from dataclasses import replace
from typing import Any

import pytest

from endd.data.uci import NAMES
from endd.report.uci_targets import NLL_GAP, targets, targets_table
from endd.studies.result import Record, Result

TEACHER = {
    "nll": 1.0,
    "rmse": 2.0,
    "ause": 0.2,
    "coverage95": 0.95,
    "kl_reference": 0.03,
    "epistemic_spearman_reference": 0.8,
}
STUDENT = {
    "nll": 1.004,
    "rmse": 2.01,
    "ause": 0.2,
    "coverage95": 0.94,
    "kl_teacher": 0.02,
    "epistemic_spearman": 0.9,
    "epistemic_ratio": 1.1,
}


def result(splits: str = "kfold5", dataset: str = "yacht", **changed: float) -> Result:
    scores: dict[str, dict[str, Any]] = {"ensemble": TEACHER, "distilled": STUDENT | changed}
    records = [
        Record(model, dataset, f"fold{k}", 0, metric, value)
        for model, found in scores.items()
        for metric, value in found.items()
        for k in range(2)
    ]
    return Result("uci", {"splits": splits}, {}, records)


def missed(found: Result) -> list[str]:
    return [target.name for target in targets(found, found.datasets()[0]) if not target.met]


def test_a_good_student_meets_them_all() -> None:
    for dataset in NAMES:
        assert missed(result(dataset=dataset)) == []


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"nll": 1.051}, "nll"),
        ({"rmse": 2.03}, "rmse"),
        ({"ause": 0.211}, "ause"),
        ({"coverage95": 0.93}, "coverage95"),
        ({"coverage95": 0.97}, "coverage95"),
        ({"epistemic_ratio": 0.84}, "mean epistemic"),
        ({"epistemic_spearman": 0.79}, "Spearman"),
        ({"kl_teacher": 0.031}, "kl_teacher"),
    ],
)
def test_each_can_be_missed(changed: dict[str, float], named: str) -> None:
    (name,) = missed(result(**changed))
    assert name.startswith(named)


def test_kin8nm_may_lose_more_in_rmse() -> None:
    assert missed(result(dataset="kin8nm", rmse=2.03)) == []


def test_teachers_are_measured_on_the_published_splits() -> None:
    assert missed(result("published20")) == []
    good = result("published20")
    poor = replace(good, records=[replace(r, value=2.0) if r.metric == "nll" else r for r in good.records])
    (name,) = missed(poor)
    assert name.startswith("teacher's nll")


def test_another_set_has_the_general_targets() -> None:
    found = [target.name for target in targets(result("published20", "energy"), "energy")]
    assert len(found) == 6
    assert "energy" not in NLL_GAP


def test_the_table_counts() -> None:
    table = targets_table(result(rmse=2.03))
    assert table.header == ("target", "yacht")
    cells = dict(table.rows)
    assert cells["rmse, ratio"] == "missed: 1.0150 (<= 1.0100)"
    assert cells["coverage95, student minus teacher"] == "met: -0.0100 (-0.0150 to 0.0150)"
    assert table.note.startswith("6 of 7 are met")
