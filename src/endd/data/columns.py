"""Columns of any table as numpy arrays: pandas, polars and pyarrow frames, arrays and lists."""

import datetime
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS, CATEGORIES = "numeric", "categorical"
MISSING = -1
# The part of the different texts in a column that may be no numbers if the others are.
NEARLY = 0.1
DATES = (datetime.date, np.datetime64, np.timedelta64, datetime.timedelta)


@dataclass(frozen=True)
class Columns:
    """Named columns of equal length; `matrix` is the whole table where it came as one array of numbers."""

    names: list[str]
    columns: list[NDArray[Any]]
    matrix: NDArray[Any] | None = None

    @property
    def rows(self) -> int:
        """N."""
        return len(self.columns[0])

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column by name."""
        return self.columns[self.names.index(name)]


def is_frame(X: Any) -> bool:
    """Whether X is a table with named columns: a pandas or polars frame or a pyarrow table."""
    return any(hasattr(X, name) for name in ("iloc", "get_columns", "column_names")) and hasattr(X, "columns")


def column_names(X: Any) -> list[str]:
    """The names of a frame's columns; one that stands twice raises."""
    names = [str(name) for name in getattr(X, "column_names", X.columns)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"Expected columns with different names, but got {', '.join(map(repr, twice))} twice.")
    return names


def as_object_array(X: Any) -> Any:
    """Lists with text in them as an array of objects: numpy would turn their numbers into text."""
    if hasattr(X, "dtype") or hasattr(X, "shape") or is_frame(X):
        return X
    array = np.asarray(X)
    return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array


def read_table(X: Any, names: Sequence[str] | None = None) -> Columns:
    """The columns of a frame or of a two-dimensional array; without names they are called x0, x1, ...

    names: what the columns were called in training, in the same order.
    """
    table = _read(X)
    if names is None:
        return table
    if len(names) != len(table.names):
        raise ValueError(f"Expected {len(names)} columns, as in training, but got {len(table.names)}.")
    return replace(table, names=list(names))


def _read(X: Any) -> Columns:
    if is_frame(X):
        return Columns(column_names(X), [_plain(column) for column in _columns(X)])
    array = np.asarray(as_object_array(X))
    if array.ndim != 2:
        raise ValueError(f"Expected a table with rows and columns, but got an array of shape {array.shape}.")
    matrix = array if array.dtype.kind in "fiub" else None
    array = array.astype(float) if array.dtype.kind == "b" else array
    return Columns([f"x{place}" for place in range(array.shape[1])], list(array.T), matrix)


def _columns(X: Any) -> Iterable[Any]:
    if hasattr(X, "iloc"):
        return [X.iloc[:, place] for place in range(X.shape[1])]
    return X.get_columns() if hasattr(X, "get_columns") else X.columns  # type: ignore[no-any-return]


def _plain(column: Any) -> NDArray[Any]:
    """A frame's column as an array: numbers, booleans, dates, or objects with None or NaN where they are missing."""
    if hasattr(column, "iloc"):
        return _plain_pandas(column)
    if hasattr(getattr(column, "type", None), "value_type"):  # pyarrow forgets what is missing among categories
        column = column.cast(column.type.value_type).cast("string")
    return np.asarray(column.to_numpy())


def _plain_pandas(column: Any) -> NDArray[Any]:
    if hasattr(column, "cat"):
        return np.asarray(column.cat.rename_categories(as_text).to_numpy(dtype=object))
    if column.dtype.kind in "iuf":
        return np.asarray(column.to_numpy(dtype=float, na_value=np.nan))
    if column.dtype.kind == "M":
        return np.asarray(column.to_numpy(dtype="datetime64[us]"))  # in UTC where there is a time zone
    return np.asarray(column.to_numpy())


def kind_of(name: str, column: NDArray[Any]) -> str:
    """Whether a column holds numbers (dates are seconds) or categories; an empty one counts as numbers."""
    if column.dtype.kind in "iufMm":
        return NUMBERS
    if column.dtype.kind in "bUST":
        return CATEGORIES
    if column.dtype.kind != "O":
        raise TypeError(f"Expected numbers, text or dates in column {name!r}, but got {column.dtype} values.")
    types = {kind for kind in set(map(type, column)) if not _is_missing_type(kind)}
    if all(issubclass(kind, numbers.Number | np.number) and not issubclass(kind, bool | np.bool) for kind in types):
        return NUMBERS
    return NUMBERS if all(issubclass(kind, DATES) for kind in types) else CATEGORIES


def as_numbers(name: str, column: NDArray[Any]) -> NDArray[np.float64]:
    """Values as float64, NaN where they are missing, dates and times as seconds."""
    if column.dtype.kind == "O":
        column = _without_missing(column)
    if column.dtype.kind in "Mm":
        seconds = column.astype(f"{column.dtype.kind}8[us]")
        return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64) / 1e6)
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Expected numbers in column {name!r}, as in training, but got others: {error}.") from None


def _without_missing(column: NDArray[Any]) -> NDArray[Any]:
    """Objects with NaN for what is missing; dates as numpy knows them."""
    types = set(map(type, column))
    present = [kind for kind in types if not _is_missing_type(kind)]
    if present and all(issubclass(kind, DATES) for kind in present):
        unit = "timedelta64[us]" if issubclass(present[0], datetime.timedelta | np.timedelta64) else "datetime64[us]"
        return np.array([None if _is_missing(cell) else cell for cell in column], dtype=unit)
    if any(kind.__name__ == "NAType" for kind in types):
        return np.array([np.nan if _is_missing(cell) else cell for cell in column], dtype=object)
    return column


def as_codes(name: str, column: NDArray[Any]) -> tuple[NDArray[np.intp], list[str]]:
    """(codes, levels): levels are the sorted texts, codes their places, -1 where a value is missing."""
    cells = column.tolist()
    try:
        texts = {cell: None if _is_missing(cell) else as_text(cell) for cell in dict.fromkeys(cells)}
    except TypeError as error:
        raise TypeError(f"Expected text or numbers in column {name!r}, but got others: {error}.") from None
    levels = sorted({text for text in texts.values() if text is not None})
    place = {text: number for number, text in enumerate(levels)}
    code_of = {cell: MISSING if text is None else place[text] for cell, text in texts.items()}
    return np.fromiter(map(partial(dict.__getitem__, code_of), cells), np.intp, len(cells)), levels


def missing_cells(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values are None, NaN, NaT or pandas' NA."""
    if column.dtype.kind in "fMm":
        return np.asarray(np.isnan(column))
    if column.dtype.kind != "O":
        return np.zeros(len(column), dtype=bool)
    return np.fromiter(map(_is_missing, column), bool, len(column))


def _is_missing_type(kind: type) -> bool:
    """Types of values that say nothing; a float may be NaN and is a number anyway."""
    return kind is type(None) or kind.__name__ in ("NAType", "NaTType")


def _is_missing(cell: Any) -> bool:
    return cell is None or _is_missing_type(type(cell)) or bool(cell != cell)


def nearly_numbers(levels: Sequence[str]) -> str | None:
    """What keeps a column of text from being numbers: the first of a few cells that are none, or a decimal comma.

    >>> nearly_numbers([*map(str, range(20)), "?"]), nearly_numbers(["red", "7"])
    ('?', None)
    """
    others = [level for level in levels if not reads_as_number(level)]
    if 0 < len(others) <= NEARLY * len(levels):
        return others[0]
    commas = [level for level in others if reads_as_number(level.replace(".", "").replace(",", "."))]
    few = len(others) - len(commas) <= NEARLY * len(levels)
    return commas[0] if commas and few and len(levels) >= 1 / NEARLY else None


def reads_as_number(text: str) -> bool:
    """Whether a text is a number as Python writes it."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_text(cell: Any) -> str:
    """A category's name; whole numbers read the same whether they come as 3 or as 3.0."""
    if isinstance(cell, bytes):
        return cell.decode(errors="replace")
    if not isinstance(cell, str | numbers.Number | np.generic | datetime.date):
        raise TypeError(f"argument must be a string or a number, not {type(cell).__name__}")
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
