"""Scores of both, their agreement, and intervals over resampled rows."""

import pytest
import torch

from endd import metrics
from endd.studies.fidelity_rows import rows_of_pair
from endd.studies.fidelity_scores import (
    differences,
    ends,
    intervals,
    numbers_of,
    resampled_numbers,
    resampled_places,
    scores_of,
)
from tests.studies.test_fidelity import data, pair


@pytest.mark.parametrize("kind", ["numbers", "classes", "counts"])
def test_scores_are_those_of_the_metrics(kind: str) -> None:
    teacher, student = pair(kind)
    x, y = data(kind)
    rows = rows_of_pair(teacher, student, x, y)["distilled"]
    found, prediction = scores_of(rows, y), student.predict(x)
    if kind == "classes":
        wrong = (prediction.probs.argmax(-1) != y).double()
        assert found["ece"] == pytest.approx(float(metrics.ece(prediction.probs, y)))
        assert found["ause"] == pytest.approx(float(metrics.ause(wrong, prediction.total.double(), by="mae")))
        return
    error = (y - prediction.mean).double()
    assert found["aurc"] == pytest.approx(float(metrics.aurc(error.square(), prediction.total.double())), rel=1e-5)
    assert ("calibration_error" in found) == (kind == "numbers")


def test_places_repeat_and_are_not_too_many() -> None:
    first, again = (resampled_places(10_000, 3, 7) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert [len(places) for places in first] == [5000] * 3


def test_intervals_and_differences() -> None:
    teacher, student = pair("numbers")
    x, y = data("numbers")
    rows = rows_of_pair(teacher, student, x, y)
    spread = resampled_numbers(rows, y, resampled_places(len(y), 40, 0))
    found = numbers_of(rows, y)
    low, high = intervals(spread, "distilled")["rmse"]
    assert low < found["distilled"]["rmse"] < high
    assert "kl_teacher" not in differences(spread)
    assert intervals([], "distilled") == differences([]) == {}
    assert ends([float(value) for value in range(101)]) == pytest.approx([2.5, 97.5])
