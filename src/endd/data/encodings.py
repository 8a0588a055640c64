"""How the columns of a table become numbers, learnt from its training part and kept as plain arrays."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from endd.data.columns import MISSING, as_codes
from endd.data.target_means import target_means

# Up to so many categories get a column each.
MAX_ONE_HOT = 32
# Values so many quartile distances beyond the quartiles are taken for slips of the pen where they are rare, one or at
# most this part of a column: the scale is not theirs to set.
FENCE, RARE = 20.0, 0.005
# Where there are slips, standardised numbers grow with their logarithm from here on: one that slipped still differs
# from the others, and drowns none.
FAR = 50.0
# Standardised numbers stay within this, so that no network overflows.
LARGEST = 1e6
# Less spread than this part of the largest value is rounding.
LEAST_SPREAD = 1e-12
# How else true and false are written.
SPELLINGS = {"True": ("true", "TRUE", "1"), "False": ("false", "FALSE", "0")}

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class NumericColumns:
    """(x - shift) / scale for every column, and an indicator for those that lacked values in training.

    A missing number becomes 0, the mean; a constant column stays, with scale 1. A few values far from all others are
    drawn near, from `far` on: 30000 where 30 was meant costs a column nothing. Other columns draw none near.
    """

    names: tuple[str, ...]
    shift: NDArray[np.float64]
    scale: NDArray[np.float64]
    indicator: NDArray[np.bool_]
    far: NDArray[np.float64]

    @classmethod
    def fit(cls, names: list[str], numbers: NDArray[np.float64]) -> Self:
        """From values (N, C) with NaN where they are missing."""
        slips = _slips(numbers)
        meant = ~np.isnan(numbers) & ~slips
        present = np.maximum(meant.sum(0), 1)
        largest = np.maximum(np.where(meant, np.abs(numbers), 0.0).max(0, initial=0.0), np.finfo(float).tiny)
        # in units of the largest value, whose square may overflow
        parts = np.where(meant, numbers, 0.0) / largest
        mean = parts.sum(0) / present
        spread = np.sqrt((np.where(meant, parts - mean, 0.0) ** 2).sum(0) / present)
        scale = np.where(spread > LEAST_SPREAD, spread * largest, 1.0)
        far = np.where(slips.any(0), FAR, LARGEST)
        return cls(tuple(names), mean * largest, scale, np.asarray(np.isnan(numbers).any(0)), far)

    @property
    def width(self) -> int:
        """How many numbers a row becomes."""
        return len(self.names) + int(self.indicator.sum())

    def encode(self, numbers: NDArray[np.float64]) -> tuple[Floats, dict[str, int]]:
        """Numbers (N, width), and how many are missing in columns that were complete in training."""
        missing = np.isnan(numbers)
        standard = (numbers - self.shift) / self.scale
        standard[missing] = 0.0
        size = np.minimum(np.abs(standard), LARGEST)
        near = np.where(size > self.far, self.far + np.log1p(np.maximum(size - self.far, 0.0)), size)
        encoded = np.concatenate([np.copysign(near, standard), missing[:, self.indicator]], 1)
        counts = missing.sum(0) * ~self.indicator
        odd = {name: int(count) for name, count in zip(self.names, counts, strict=True) if count}
        return encoded.astype(np.float32), odd


def _slips(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which values (N, C) are so far from the others of their column, and so few, that they cannot be meant."""
    found = np.zeros(numbers.shape, dtype=bool)
    for place, column in enumerate(numbers.T):
        # in parts, since distances between the largest numbers overflow; of a power of two, which rounds nothing
        parts = column / 2**7
        present = parts[~np.isnan(parts)]
        # distinct values too: of a column that is nearly always 0 both quartiles are 0
        quartiles = [np.quantile(values, (0.25, 0.75)) for values in (present, np.unique(present)) if len(values)]
        low = min((low - FENCE * (high - low) for low, high in quartiles), default=-np.inf)
        high = max((high + FENCE * (high - low) for low, high in quartiles), default=np.inf)
        beyond = (parts < low) | (parts > high)
        if beyond.sum() <= max(1, RARE * len(present)):
            found[:, place] = beyond
    return found


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
        if {*known} <= {*SPELLINGS}:  # a single odd cell makes all booleans of a CSV text
            known |= {text: known[level] for level in self.levels for text in SPELLINGS[level]}
        missing, unseen = len(self.levels), len(self.levels) + 1
        # the last place is reached by the code of a missing value, -1
        places = np.array([*(known.get(level, unseen) for level in levels), missing], dtype=np.intp)[codes]
        return self.table[places], int((places == missing).sum()), int((places == unseen).sum())


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
