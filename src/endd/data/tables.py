"""Real tables as numbers: missing values, text and dates in, float32 columns out.

A numeric column is standardised, (x - mean) / deviation, of all values but rare slips of the pen; a missing number
becomes the mean, and a column that lacked some in training gets a second one that says where. Dates and times are
seconds. A category is looked up in a table of numbers: one column for each category, or, where there are many, what the
target is like in each.
"""

import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from endd.data.columns import CATEGORIES, NUMBERS, Columns, as_numbers, kind_of, nearly_numbers, read_table
from endd.data.encodings import LARGEST, CategoricalColumn, Floats, NumericColumns


@dataclass
class Oddities:
    """Values that are missing where that says something, or were never seen, counted by column."""

    rows: int
    missing: dict[str, int] = field(default_factory=dict)
    unseen: dict[str, int] = field(default_factory=dict)

    def joined(self, other: "Oddities") -> "Oddities":
        """Those of two parts of a table."""
        missing, unseen = Counter(self.missing), Counter(self.unseen)
        missing.update(other.missing)
        unseen.update(other.unseen)
        return Oddities(self.rows + other.rows, dict(missing), dict(unseen))

    def report(self, strict: bool) -> None:
        """One line that counts them: a warning or, if strict, an error."""
        counted = [_counted(kind, found) for kind, found in (("missing", self.missing), ("unseen", self.unseen))]
        if not any(counted):
            return
        line = f"{' and '.join(filter(None, counted))} in {self.rows} rows"
        if strict:
            raise ValueError(f"Expected known values in every row, but got {line}. Repair them, or use strict=False.")
        advice = "Categories count as a level of their own, numbers as the mean; strict=True refuses them."
        warnings.warn(f"Got {line}. {advice}", UserWarning, stacklevel=3)


def _counted(kind: str, found: dict[str, int]) -> str:
    """Such as "3 missing values ('city' 1, 'age' 2)"; nothing if there are none."""
    by_column = ", ".join(f"{name!r} {count}" for name, count in found.items() if count)
    return f"{sum(found.values())} {kind} values ({by_column})" if by_column else ""


class TableEncoder:
    """Learns from the training part of a table how to turn rows into numbers.

    >>> X = np.array([[1.0, "red"], [3.0, "blue"], [None, "red"]], dtype=object)
    >>> encoder = TableEncoder()
    >>> encoder.fit_transform(X, np.zeros((3, 1)))  # x0, whether it is missing, blue, red
    array([[-1.,  0.,  0.,  1.],
           [ 1.,  0.,  1.,  0.],
           [ 0.,  1.,  0.,  1.]], dtype=float32)
    >>> encoder.transform([[2.0, "red"]])
    array([[0., 0., 0., 1.]], dtype=float32)
    """

    names: list[str]
    numeric: NumericColumns
    categorical: list[CategoricalColumn]

    @property
    def width(self) -> int:
        """How many numbers a row becomes."""
        return self.numeric.width + sum(column.width for column in self.categorical)

    def fit_transform(self, X: Any, targets: NDArray[np.floating], *, seed: int = 0, strict: bool = False) -> Floats:
        """Learn from rows X and their targets (N, T), and encode them; no row sees its own target."""
        table, goals = read_table(X), np.asarray(targets, dtype=np.float64)
        kinds = {name: kind_of(name, column) for name, column in zip(table.names, table.columns, strict=True)}
        self.names = table.names
        numeric = [name for name, kind in kinds.items() if kind == NUMBERS]
        numbers = read_numbers(table, numeric)
        self.numeric = NumericColumns.fit(numeric, numbers)
        blocks, odd = [self.numeric.encode(numbers)[0]], Oddities(table.rows)
        self.categorical = []
        for name, kind in kinds.items():
            if kind == CATEGORIES:
                column, block, odd.missing[name] = CategoricalColumn.fit(name, table[name], goals, seed)
                self.categorical.append(column)
                blocks.append(block)
        odd.report(strict)
        _warn_of_text({column.name: column.levels for column in self.categorical})
        return np.concatenate(blocks, 1)

    def transform(self, X: Any, *, strict: bool = False) -> Floats:
        """Rows as numbers, (N, width); what training did not prepare for is counted in one line."""
        encoded, odd = self.encode(X)
        odd.report(strict)
        return encoded

    def encode(self, X: Any) -> tuple[Floats, Oddities]:
        """Rows as numbers, and a count of what training did not prepare for."""
        table = read_table(X, self.names)
        odd = Oddities(table.rows)
        block, odd.missing = self.numeric.encode(read_numbers(table, self.numeric.names))
        blocks = [block]
        for column in self.categorical:
            block, odd.missing[column.name], odd.unseen[column.name] = column.encode(table[column.name])
            blocks.append(block)
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks, 1), odd

    def to_dict(self) -> dict[str, Any]:
        """The encoder as plain data: names, lists and arrays."""
        return {
            "names": list(self.names),
            "numeric": {
                "names": list(self.numeric.names),
                "shift": self.numeric.shift,
                "scale": self.numeric.scale,
                "indicator": self.numeric.indicator,
                "far": self.numeric.far,
            },
            "categorical": [
                {"name": column.name, "levels": list(column.levels), "table": column.table}
                for column in self.categorical
            ],
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The encoder that `to_dict` described."""
        encoder, numeric = cls(), plain["numeric"]
        encoder.names = list(plain["names"])
        encoder.numeric = NumericColumns(
            tuple(numeric["names"]),
            np.asarray(numeric["shift"], dtype=np.float64),
            np.asarray(numeric["scale"], dtype=np.float64),
            np.asarray(numeric["indicator"], dtype=bool),
            # those that were saved before slips were looked for drew no value near
            np.asarray(numeric.get("far", np.full(len(numeric["names"]), LARGEST)), dtype=np.float64),
        )
        encoder.categorical = [
            CategoricalColumn(one["name"], tuple(one["levels"]), np.asarray(one["table"], dtype=np.float32))
            for one in plain["categorical"]
        ]
        return encoder


def _warn_of_text(levels: dict[str, tuple[str, ...]]) -> None:
    """One line on columns that would hold numbers but for a few cells: as text they say far less."""
    found = {name: cell for name, texts in levels.items() if (cell := nearly_numbers(texts)) is not None}
    if found:
        columns = ", ".join(f"{name!r} ({cell!r})" for name, cell in found.items())
        advice = "Leave cells empty that are missing, and write 1.5, not 1,5."
        warnings.warn(f"Got text where nearly all reads as numbers: {columns}. {advice}", UserWarning, stacklevel=3)


def read_numbers(table: Columns, names: list[str] | tuple[str, ...]) -> NDArray[np.float64]:
    """Columns as float64 (N, C), NaN where values are missing; infinity raises."""
    if table.matrix is not None and len(names) == len(table.names):
        numbers = table.matrix.astype(np.float64)
    else:
        numbers = np.empty((table.rows, len(names)))
        for place, name in enumerate(names):
            numbers[:, place] = as_numbers(name, table[name])
    infinite = np.isinf(numbers).sum(0)
    if infinite.any():
        found = ", ".join(f"{name!r} {count}" for name, count in zip(names, infinite, strict=True) if count)
        raise ValueError(f"Input X contains infinity, by column: {found}. Expected finite numbers. Repair those rows.")
    return numbers
