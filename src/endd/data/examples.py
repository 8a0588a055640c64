"""Labelled examples, and a split of them whose inputs are standardised on its training part."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]
Indices = NDArray[np.integer]


class Examples(NamedTuple):
    """Inputs (N, D) and targets (N,), both float32."""

    x: NDArray[np.float32]
    y: NDArray[np.float32]


class Split(NamedTuple):
    """Training and test examples: inputs standardised on the training part, targets in the user's units.

    shift and scale are the mean and deviation of the training targets: a family's units, `family.in_units(shift,
    scale)`.
    """

    name: str
    train: Examples
    test: Examples
    shift: float
    scale: float


def make_split(name: str, x: Array, y: Array, train: Indices, test: Indices) -> Split:
    """Rows `train` and `test` of x (N, D) and y (N,) as a split.

    A column that is constant in the training part is shifted, not scaled, and so is a constant target.

    >>> x, y = np.arange(6.0).reshape(6, 1), np.arange(6.0)
    >>> split = make_split("fold0", x, y, np.arange(4), np.array([4, 5]))
    >>> split.train.x.T.round(2), split.shift, split.test.y
    (array([[-1.34, -0.45,  0.45,  1.34]], dtype=float32), 1.5, array([4., 5.], dtype=float32))
    """
    if not (len(train) and len(test)):
        raise ValueError(f"Expected rows to train on and rows to test on, but got {len(train)} and {len(test)}.")
    centre, spread = x[train].mean(0), _spread(x[train])

    def examples(rows: Indices) -> Examples:
        return Examples(((x[rows] - centre) / spread).astype(np.float32), y[rows].astype(np.float32))

    return Split(name, examples(train), examples(test), float(y[train].mean()), float(_spread(y[train])))


def _spread(values: Array) -> Array:
    """The deviation of each column (population), 1 where a column is constant.

    A constant such as 0.1 has a deviation of rounding errors, not 0: the values themselves are compared.
    """
    return np.where(np.ptp(values, 0) > 0, values.std(0), 1.0)
