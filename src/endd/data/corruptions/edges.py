"""Edges of a grey picture (Canny 1986), and how far every pixel is from one, in the integer arithmetic of OpenCV."""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from endd.data.pixels import Bytes

Integers = NDArray[np.int64]
Marks = NDArray[np.bool_]

# tan(22.5 degrees) in parts of 2^15
TANGENT, SHIFT = 13573, 15
# A step along a row or column, along a diagonal, and a knight's move: the mask of 5 by 5 that OpenCV uses.
STEPS = {(0, 1): 1.0, (1, 0): 1.0, (1, 1): 1.4, (1, -1): 1.4}
STEPS |= {(1, 2): 2.1969, (1, -2): 2.1969, (2, 1): 2.1969, (2, -1): 2.1969}


def edges(pictures: Bytes, low: int, high: int) -> Marks:
    """Pixels (N, H, W) on a ridge of the gradient that is above `low`, and is joined to one above `high`."""
    grey = pictures.astype(np.int64)
    across, down = (_slope(grey, axis) for axis in (2, 1))
    size = np.abs(across) + np.abs(down)
    ridge = (size > low) & _largest(size, across, down)
    joined: Marks = ndimage.binary_propagation(ridge & (size > high), np.ones((1, 3, 3), bool), mask=ridge)
    return joined


def distances(marks: Marks, most: float) -> NDArray[np.float64]:
    """How many steps every pixel (N, H, W) is from a mark, at most `most`: once down the rows, once up."""
    count, height, width = marks.shape
    # images last: every pixel is one pass over all of them
    far = np.full((height + 4, width + 4, count), float(most))
    inner = far[2:-2, 2:-2]
    inner[np.moveaxis(marks, 0, 2)] = 0
    for view in (far, far[::-1, ::-1]):
        for row in range(2, height + 2):
            for column in range(2, width + 2):
                for (up, left), length in STEPS.items():
                    np.minimum(view[row, column], view[row - up, column - left] + length, out=view[row, column])
    return np.moveaxis(inner, 2, 0)


def _slope(grey: Integers, axis: int) -> Integers:
    """Sobel's derivative, edges repeated."""
    smooth = ndimage.correlate1d(grey, [1, 2, 1], 3 - axis, mode="nearest")
    slope: Integers = ndimage.correlate1d(smooth, [-1, 0, 1], axis, mode="nearest")
    return slope


def _largest(size: Integers, across: Integers, down: Integers) -> Marks:
    """Where the gradient is larger than on both sides along its direction, which is one of four."""
    padded = np.pad(size, ((0, 0), (1, 1), (1, 1)))
    height, width = size.shape[1:]

    def beside(row: int, column: int) -> Integers:
        return padded[:, 1 + row : 1 + row + height, 1 + column : 1 + column + width]

    flat = np.abs(across) * TANGENT
    steep = flat + (np.abs(across) << (SHIFT + 1))
    rise = np.abs(down) << SHIFT
    horizontal = (size > beside(0, -1)) & (size >= beside(0, 1))
    vertical = (size > beside(-1, 0)) & (size >= beside(1, 0))
    falling = (size > beside(-1, -1)) & (size > beside(1, 1))
    rising = (size > beside(-1, 1)) & (size > beside(1, -1))
    diagonal = np.where((across < 0) != (down < 0), rising, falling)
    return np.where(rise < flat, horizontal, np.where(rise > steep, vertical, diagonal))
