"""Cells of a model's row."""

from endd.report.rows import differences, estimates, repeats
from endd.studies.result import Record, Result

RESULT = Result(
    "uci",
    {},
    {},
    [
        Record(model, "yacht", f"fold{k}", 0, metric, k + shift)
        for model, shift in (("ensemble", 0.0), ("mixture", 0.25))
        for k in range(3)
        for metric in ("rmse", "train_seconds", "kl_teacher")
    ],
)


def test_means_with_intervals_and_times_without() -> None:
    found = estimates(RESULT, "ensemble", ("rmse", "kl_teacher", "train_seconds", "ece"), "yacht")
    assert found == ("1.000 ± 2.484", "1.0000 ± 2.4841", "1.00", "-")


def test_differences_are_paired_and_signed() -> None:
    assert differences(RESULT, "mixture", "ensemble", ("rmse", "ece")) == ("+0.250 ± 0.000", "-")


def test_repeats() -> None:
    assert (repeats(RESULT, "mixture"), repeats(RESULT, "mixture", "concrete")) == ("3", "0")
