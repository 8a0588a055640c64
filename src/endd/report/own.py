"""Rows that users added to a study: each of them beside every other model."""

from collections.abc import Iterator

from endd.report.cifar10_scores import pooled
from endd.report.rows import differences
from endd.report.tables import MISSING, Table
from endd.studies.result import Result

METRICS = ("accuracy", "rmse", "nll", "brier", "ece", "ause", "kl_teacher", "epistemic_spearman", "epistemic_ratio")
# Methods that are all good differ in the last digits.
DIGITS = 4
NOTE = (
    "The method minus each other model, paired by split and seed, with 95 % intervals. Scores that either lacks are "
    "left out."
)


def own_tables(result: Result) -> Iterator[Table]:
    """A table for every added row and data set on which it stands beside others; of images, clean and corrupted."""
    if "own" not in result.config:
        return
    result = pooled(result, METRICS)
    for name, place in result.config["own"].items():
        for dataset in result.datasets():
            metrics = [metric for metric in METRICS if result.values(name, metric, dataset)]
            others = [model for model in result.models() if model != name]
            rows = [(model, *differences(result, name, model, metrics, dataset, DIGITS)) for model in others]
            rows = [row for row in rows if any(cell != MISSING for cell in row[1:])]
            if rows:
                count, *theirs = (len(result.values(model, metrics[0], dataset)) for model in (name, *others))
                most = max(theirs)
                fewer = f" It has {count} of the {most} repeats that there are by now." if count < most else ""
                note = f"{name} is {place}.{fewer} {NOTE}"
                yield Table(f"{name} minus the others: {dataset}", ("model", *metrics), tuple(rows), note)
