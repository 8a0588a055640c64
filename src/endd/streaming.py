"""Predictions for tables of any size: rows come in, and go out, a batch at a time."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from endd.data.columns import CATEGORIES, NUMBERS
from endd.data.files import TableFile
from endd.data.tables import Oddities, TableEncoder
from endd.data.writing import new_table
from endd.estimators import DistilledClassifier, DistilledRegressor
from endd.models import Prediction, Student
from endd.training.progress import reporter

# Rows that are read at once; rows that the network sees at once, whose activations then fit into the cache.
ROWS, ROWS_AT_ONCE = 1 << 16, 1 << 12
LEVEL = 0.95

Arrays = dict[str, NDArray[Any]]
Estimator = DistilledRegressor | DistilledClassifier


class Columns(ABC):
    """What is written about every row: encoded rows in, named arrays out."""

    student: Student

    @abstractmethod
    def of(self, prediction: Prediction) -> dict[str, Tensor]:
        """The columns of one prediction."""

    def __call__(self, x: Tensor) -> Arrays:
        """The columns of rows x (N, width)."""
        parts = [self.of(self.student.predict(part)) for part in x.split(ROWS_AT_ONCE)]
        return {name: torch.cat([part[name] for part in parts]).numpy() for name in parts[0]}


class RegressionColumns(Columns):
    """mean, total, aleatoric, epistemic (variances) and the ends of a central interval.

    The network speaks in standardised units and float32; the user's units are put on in float64, so that a y far from
    0 keeps its digits.
    """

    def __init__(self, model: DistilledRegressor, interval: bool) -> None:
        self.family, self.interval = model.family_, interval
        self.student = Student(model.student_.net, model.family_.in_units(0.0, 1.0), model.student_.form).eval()

    def of(self, prediction: Prediction) -> dict[str, Tensor]:
        """The columns of one prediction."""
        parts = prediction.decompose()
        # the mean of a Gaussian is linear in z
        found = {"mean": self._in_units(prediction.v.mean[..., 0])}
        found |= {name: getattr(parts, name) * self.family.scale**2 for name in ("total", "aleatoric", "epistemic")}
        if self.interval:
            lower, upper = prediction.interval(LEVEL)
            found |= {"lower": self._in_units(lower), "upper": self._in_units(upper)}
        return found

    def _in_units(self, y: Tensor) -> Tensor:
        return self.family.shift + self.family.scale * y.double()


class ClassColumns(Columns):
    """class, a probability p_CLASS for each, total, aleatoric, epistemic (entropies, in nats)."""

    def __init__(self, model: DistilledClassifier) -> None:
        self.student, self.classes = model.student_, model.classes_

    def of(self, prediction: Prediction) -> dict[str, Tensor]:
        """The columns of one prediction."""
        parts, probs = prediction.decompose(), prediction.probs
        found = {"class": probs.argmax(-1)} | {f"p_{name}": p for name, p in zip(self.classes, probs.T, strict=True)}
        return found | {name: getattr(parts, name) for name in ("total", "aleatoric", "epistemic")}

    def __call__(self, x: Tensor) -> Arrays:
        """The columns of rows x (N, width), classes by their names."""
        found = super().__call__(x)
        return found | {"class": self.classes[found["class"]]}


def columns_of(model: Estimator, interval: bool = True) -> Columns:
    """What is written about rows, for a fitted estimator."""
    return ClassColumns(model) if isinstance(model, DistilledClassifier) else RegressionColumns(model, interval)


def predict_file(
    model: Estimator,
    source: TableFile,
    out: str | Path,
    *,
    interval: bool = True,
    keep: Sequence[str] = (),
    progress: str = "auto",
) -> int:
    """Write what a model says about every row of a table; returns the number of rows.

    interval: whether a regression gets the ends of its 95 % interval. keep: columns of the table to copy.
    """
    encoder, write = model.encoder_, columns_of(model, interval)
    check_columns(source, encoder.names, "of training")
    check_columns(source, keep, "to keep")
    wanted = [*encoder.names, *(name for name in keep if name not in encoder.names)]
    kinds = kinds_of(encoder) | {name: CATEGORIES for name in wanted if name not in encoder.names}
    seen = Oddities(0)
    with new_table(out) as writer, reporter(progress, "predict", source.unit) as told:
        for batch in source.batches(wanted, kinds, ROWS):
            x, odd = encoder.encode(batch.select(encoder.names))
            if model.strict:
                odd.report(strict=True)
            seen = seen.joined(odd)
            kept = {name: batch.column(name) for name in keep}
            writer.write(source.pa.table(_beside(kept, write(torch.as_tensor(x)))))
            told.update(round(source.done), round(source.total), {})
        if not seen.rows:
            raise ValueError(f"Expected rows in {source.path}, but it has none.")
    seen.report(strict=False)
    return seen.rows


def _beside(kept: dict[str, Any], written: Arrays) -> dict[str, Any]:
    taken = [name for name in kept if name in written]
    if taken:
        raise ValueError(
            f"Expected columns to keep with names of their own, but got {', '.join(map(repr, taken))}, which is "
            "written. Rename it."
        )
    return kept | written


def kinds_of(encoder: TableEncoder) -> dict[str, str]:
    """Which columns hold numbers, and which categories."""
    numbers = dict.fromkeys(encoder.numeric.names, NUMBERS)
    return numbers | {column.name: CATEGORIES for column in encoder.categorical}


def check_columns(source: TableFile, names: Sequence[str], which: str) -> None:
    """Raise unless a table has these columns."""
    missing = [name for name in names if name not in source.names]
    if missing:
        raise ValueError(
            f"Expected the columns {which} in {source.path}, but it lacks {', '.join(map(repr, missing))}. Add them; "
            f"it has {', '.join(map(repr, source.names))}."
        )
