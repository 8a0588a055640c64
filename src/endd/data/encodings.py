"""How the columns of a table become numbers, learnt from its training part and kept as plain arrays."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from endd.data.columns import MISSING, as_codes
from endd.data.target_means import target_means

# Up to so many categories get a column each.
MAX_ONE_HOT = 32
# Standardised numbers stay within this, so that no network overflows.
LARGEST = 1e6
# Less spread than this part of the largest value is rounding.
LEAST_SPREAD = 1e-12

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class NumericColumns:
    """(x - shift) / scale for every column, and an indicator for those that lacked values in training.

    A missing number becomes 0, the mean; a constant column stays, with scale 1.
    """

    names: tuple[str, ...]
    shift: NDArray[np.float64]
    scale: NDArray[np.float64]
    indicator: NDArray[np.bool_]

    @classmethod
    def fit(cls, names: list[str], numbers: NDArray[np.float64]) -> Self:
        """From values (N, C) with NaN where they are missing."""
        missing = np.isnan(numbers)
        present = np.maximum((~missing).sum(0), 1)
        largest = np.maximum(np.where(missing, 0.0, np.abs(numbers)).max(0, initial=0.0), np.finfo(float).tiny)
        # in units of the largest value, whose square may overflow
        parts = np.where(missing, 0.0, numbers / largest)
        mean = parts.sum(0) / present
        spread = np.sqrt((np.where(missing, 0.0, parts - mean) ** 2).sum(0) / present)
        scale = np.where(spread > LEAST_SPREAD, spread * largest, 1.0)
        return cls(tuple(names), mean * largest, scale, np.asarray(missing.any(0)))

    @property
    def width(self) -> int:
        """How many numbers a row becomes."""
        return len(self.names) + int(self.indicator.sum())

    def encode(self, numbers: NDArray[np.float64]) -> tuple[Floats, dict[str, int]]:
        """Numbers (N, width), and how many are missing in columns that were complete in training."""
        missing = np.isnan(numbers)
        standard = (numbers - self.shift) / self.scale
        standard[missing] = 0.0
        encoded = np.concatenate([np.clip(standard, -LARGEST, LARGEST), missing[:, self.indicator]], 1)
        counts = missing.sum(0) * ~self.indicator
        odd = {name: int(count) for name, count in zip(self.names, counts, strict=True) if count}
        return encoded.astype(np.float32), odd


@dataclass(frozen=True)
class CategoricalColumn:
    """A lookup table (levels + 2, width): a row for every level, one for missing values and one for unseen levels.

    An unseen level is like the average row of the training part; so is a missing value if none was missing there.
    """

    name: str
    levels: tuple[str, ...]
    table: Floats

    @classmethod
    def fit(cls, name: str, column: NDArray[Any], targets: NDArray[np.float64], seed: int) -> tuple[Self, Floats, int]:
        """The column, its training rows (N, width) and how many of them are missing.

        targets: (N, T). Columns for each level while these are few, else the means of the targets in each, which for a
        training row leave its own target out.
        """
        codes, levels = as_codes(name, column)
        places = np.where(codes == MISSING, len(levels), codes)
        missing = int((codes == MISSING).sum())
        if len(levels) <= MAX_ONE_HOT:
            table = one_hot(places, len(levels))
            made = cls(name, tuple(levels), table)
            return made, table[places], missing
        means, rows = target_means(places, len(levels) + 1, targets, seed)
        centre, spread = rows.mean(0), rows.std(0)
        scale = np.where(spread > LEAST_SPREAD, spread, 1.0)
        table = np.concatenate([means, targets.mean(0, keepdims=True)])
        made = cls(name, tuple(levels), ((table - centre) / scale).astype(np.float32))
        return made, ((rows - centre) / scale).astype(np.float32), missing

    @property
    def width(self) -> int:
        """How many numbers a value becomes."""
        return int(self.table.shape[1])

    def encode(self, column: NDArray[Any]) -> tuple[Floats, int, int]:
        """Rows (N, width), and how many values are missing and unseen."""
        codes, levels = as_codes(self.name, column)
        known = {level: place for place, level in enumerate(self.levels)}
        unseen = len(known) + 1
        # the last place is reached by the code of a missing value, -1
        places = np.array([*(known.get(level, unseen) for level in levels), len(known)], dtype=np.intp)[codes]
        return self.table[places], int((places == len(known)).sum()), int((places == unseen).sum())


def one_hot(places: NDArray[np.intp], levels: int) -> Floats:
    """The lookup table of categories with a column each; a column for missing values if there are any."""
    counts = np.bincount(places, minlength=levels + 1)
    width = levels + (counts[levels] > 0)
    table = np.eye(levels + 2, width, dtype=np.float32)
    average = counts[:width] / max(len(places), 1)
    table[levels + 1] = average
    if width == levels:
        table[levels] = average
    return table
