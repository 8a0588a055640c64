"""The scores of the CIFAR-10 study by model, metric and data set, and what is taken over its corrupted sets."""

import copy
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from endd.studies.result import Record, Result
from endd.studies.statistics import Estimate, estimate

CLEAN, CORRUPTED, SVHN = "clean", "corrupted", "svhn"
#: The many corrupted sets as one, each counting the same.
MEAN_OVER_CORRUPTED = "mean over corrupted sets"
TEACHER, STUDENT, SINGLE, CONTROL = "ensemble", "distilled", "single", "temperature_control"
#: The members asked about mirror images too, one by one and together.
BOTH_SIDES = ("single_symmetric", "ensemble_symmetric")
#: A score by repeat.
Values = dict[int, float]
PERCENT = (25, 50, 75)


class Scores:
    """All records, found by what they are of: there are tens of thousands, and as many questions.

    `sets` holds the names of the data sets by severity, with the clean test images as severity 0. A mean that cannot
    be taken is NaN.
    """

    def __init__(self, result: Result) -> None:
        self._values: dict[tuple[str, str, str], Values] = {}
        for record in result.records:
            self._values.setdefault((record.model, record.metric, record.dataset), {})[record.seed] = record.value
        self.models = result.models()
        found = [(severity, name) for name in result.datasets() if (severity := severity_of(name)) is not None]
        self.sets = {at: [name for severity, name in found if severity == at] for at in sorted(dict(found))}

    @property
    def severities(self) -> list[int]:
        """Those of the corrupted sets."""
        return [severity for severity in self.sets if severity > 0]

    def values(self, model: str, metric: str, dataset: str) -> Values:
        """The score of each repeat."""
        return self._values.get((model, metric, dataset), {})

    def has(self, model: str, metric: str) -> bool:
        """Whether the model has such a score on any set."""
        return any(key[:2] == (model, metric) for key in self._values)

    def shared_by(self, *models: str) -> Self:
        """The same over the repeats that all of these have, of those models that are there."""
        having = [{r for (name, *_), found in self._values.items() if name == model for r in found} for model in models]
        repeats = set.intersection(*filter(None, having)) if any(having) else set()
        shared = copy.copy(self)
        within = {key: {r: found[r] for r in found.keys() & repeats} for key, found in self._values.items()}
        shared._values = {key: found for key, found in within.items() if found}
        return shared

    def mean(self, model: str, metric: str, dataset: str = CLEAN) -> float:
        """The mean over repeats."""
        return mean(self.values(model, metric, dataset))

    def by_set(self, model: str, metric: str, severity: int | None = None) -> NDArray[np.float64]:
        """Means over repeats of every set of a severity, or of all corrupted sets."""
        names = self.sets.get(severity, []) if severity is not None else self._corrupted()
        found = (self.mean(model, metric, name) for name in names)
        return np.array([value for value in found if not math.isnan(value)])

    def median(self, model: str, metric: str, severity: int | None = None) -> float:
        """The median over those sets."""
        return self.quartiles(model, metric, severity)[1]

    def quartiles(self, model: str, metric: str, severity: int | None = None) -> tuple[float, ...]:
        """The quartiles over those sets."""
        found = self.by_set(model, metric, severity)
        return tuple(map(float, np.percentile(found, PERCENT))) if len(found) else (math.nan,) * 3

    def over_corrupted(self, model: str, metric: str) -> Values:
        """The mean over all corrupted sets, a value a repeat."""
        return self.over_sets(model, metric, self._corrupted())

    def over_sets(self, model: str, metric: str, sets: list[str]) -> Values:
        """The mean over some sets, a value a repeat."""
        by_repeat: dict[int, list[float]] = defaultdict(list)
        for name in sets:
            for repeat, value in self.values(model, metric, name).items():
                by_repeat[repeat].append(value)
        return {repeat: math.fsum(found) / len(found) for repeat, found in by_repeat.items()}

    def _corrupted(self) -> list[str]:
        return [name for severity in self.severities for name in self.sets[severity]]


def pooled(result: Result, metrics: Iterable[str]) -> Result:
    """A study of images with some scores on clean images and on average over corrupted sets; any other as it is."""
    if CLEAN not in result.datasets():
        return result
    scores = Scores(result)
    means = [
        Record(model, MEAN_OVER_CORRUPTED, "test", seed, metric, value)
        for model in result.models()
        for metric in metrics
        for seed, value in scores.over_corrupted(model, metric).items()
    ]
    return replace(result, records=[record for record in result.records if record.dataset == CLEAN] + means)


def severity_of(dataset: str) -> int | None:
    """0 of the clean test images, 1 to 5 of corrupted ones, None of anything else.

    >>> [severity_of(name) for name in ("clean", "gaussian_noise-3", "corrupted", "svhn")]
    [0, 3, None, None]
    """
    if dataset == CLEAN:
        return 0
    _, _, severity = dataset.rpartition("-")
    return int(severity) if severity != dataset and severity.isdigit() else None


def mean(values: Values) -> float:
    """The mean, or NaN of nothing."""
    return math.fsum(values.values()) / len(values) if values else math.nan


def over_repeats(values: Values) -> Estimate | None:
    """The mean with its 95 % interval."""
    return estimate([*values.values()]) if values else None


def paired(ours: Values, theirs: Values) -> Estimate | None:
    """The mean of ours - theirs over the repeats that both have, with its 95 % interval."""
    return over_repeats({repeat: ours[repeat] - theirs[repeat] for repeat in ours.keys() & theirs.keys()})
