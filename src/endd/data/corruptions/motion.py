"""Motion blur as ImageMagick does it: half a bell curve along a line, on whole pixels."""

import numpy as np
from numpy.typing import NDArray

from endd.data.pixels import SIDE, Bytes


def motion_blur(images: Bytes, random: np.random.Generator, radius: float, width: float) -> Bytes:
    """Every image along a line of its own, at most 45 degrees off the horizontal."""
    return along_lines(images, random.uniform(-45, 45, len(images)), radius, width)


def along_lines(images: Bytes, degrees: NDArray[np.float64], radius: float, width: float) -> Bytes:
    """Images (N, H, W, ...) smoothed along lines of N angles; edges go on for ever.

    y[r, c] = sum_i w_i x[r + i sin, c + i cos], w_i proportional to exp(-i^2 / (2 width^2)), i = 0 .. 2 radius.
    """
    steps = np.arange(2 * int(np.ceil(radius)) + 1)
    weights = np.exp(-(steps**2) / (2 * width**2))
    weights /= weights.sum()
    angles = np.deg2rad(degrees)
    each, places = np.arange(len(images))[:, None, None], np.arange(SIDE)
    total = np.zeros(images.shape)
    for step, weight in zip(steps, weights, strict=True):
        down, right = (np.ceil(step * part(angles) - 0.5).astype(np.int64) for part in (np.sin, np.cos))
        rows = np.clip(places + down[:, None], 0, SIDE - 1)[:, :, None]
        columns = np.clip(places + right[:, None], 0, SIDE - 1)[:, None, :]
        total += weight * images[each, rows, columns]
    return np.rint(total).astype(np.uint8)
