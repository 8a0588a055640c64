"""Rows between the rows of a table, for models that want tables and not numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from endd.data.columns import is_frame, read_table


def mixed_rows(X: Any, views: int, mix: float, seed: int = 0) -> Any:
    """`views` versions of every row, a part `mix` of them mixed with another row; X is a frame or an array.

    A mixed row has the numbers l x + (1 - l) x' with l uniform; its text and dates are those of the nearer row, and so
    is a number that one of the two lacks. With another kind of inputs, see `endd.training.transfer_pool`.

    >>> mixed_rows(np.array([[0.0], [1.0]]), views=3, mix=0.5).shape
    (6, 1)
    """
    random, table = np.random.default_rng(seed), read_table(X)
    rows = np.tile(np.arange(table.rows), views)
    partner = random.integers(0, table.rows, len(rows))
    share = np.where(random.random(len(rows)) < mix, random.random(len(rows)), 1.0)
    nearer = np.where(share >= 0.5, rows, partner)
    blended = {}
    for place, column in enumerate(table.columns):
        if column.dtype.kind in "iuf":
            numbers = column.astype(np.float64)
            blend = share * numbers[rows] + (1 - share) * numbers[partner]
            blended[place] = np.where(np.isnan(blend), numbers[nearer], blend)
    return _with_columns(_safe_indexing(X, nearer), blended)


def _with_columns(X: Any, columns: dict[int, NDArray[np.float64]]) -> Any:
    """The table with some columns replaced."""
    if not is_frame(X):
        X = X.astype(object if X.dtype.kind == "O" else np.float64)
        for place, column in columns.items():
            X[:, place] = column
    elif hasattr(X, "iloc"):
        X = X.reset_index(drop=True)
        for place, column in columns.items():
            X.isetitem(place, column)
    elif hasattr(X, "get_columns"):
        series = X.get_columns()
        X = X.with_columns([type(series[place])(X.columns[place], column) for place, column in columns.items()])
    else:
        for place, column in columns.items():
            X = X.set_column(place, X.column_names[place], [column])
    return X
