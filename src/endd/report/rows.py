"""Cells of a model's row: means and paired differences of a list of metrics."""

import math
from collections.abc import Iterable

from endd.report.tables import cell
from endd.studies.result import Result

DIGITS = {"kl_teacher": 4, "train_seconds": 2}


def estimates(result: Result, model: str, metrics: Iterable[str], dataset: str | None = None) -> tuple[str, ...]:
    """The model's means, with intervals; the time it took without one."""
    found = {metric: cell(result.estimate(model, metric, dataset), DIGITS.get(metric, 3)) for metric in metrics}
    if "train_seconds" in found:
        found["train_seconds"] = found["train_seconds"].split(" ")[0]
    return tuple(found.values())


def differences(
    result: Result, model: str, baseline: str, metrics: Iterable[str], dataset: str | None = None, digits: int = 3
) -> tuple[str, ...]:
    """Model minus baseline, paired, with intervals."""
    gaps = (result.difference(model, baseline, metric, dataset) for metric in metrics)
    return tuple(cell(gap, digits, signed=True) for gap in gaps)


def gain_lost(ours: float, ensemble: float, alone: float) -> float:
    """The share of an ensemble's gain over a single network that a model does not keep, from their nll.

    >>> gain_lost(0.75, 0.5, 1.5), gain_lost(0.75, 0.5, 0.5)
    (0.25, nan)
    """
    return (ours - ensemble) / (alone - ensemble) if alone > ensemble else math.nan


def repeats(result: Result, model: str, dataset: str | None = None) -> str:
    """How many values the means are of."""
    return str(len(result.values(model, "rmse", dataset)))
