"""Blurs: by a bell curve, out of focus, through frosted glass, while zooming in."""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from endd.data.pixels import SIDE, Bytes, Floats, to_bytes, unit


def bell(x: Floats, width: float, mode: str = "nearest", truncate: float = 4.0) -> Floats:
    """Images (N, H, W, ...) smoothed along H and W."""
    sigmas = (0, width, width, *[0] * (x.ndim - 3))
    smooth: Floats = ndimage.gaussian_filter(x, sigmas, mode=mode, truncate=truncate)
    return smooth


def gaussian_blur(images: Bytes, random: np.random.Generator, width: float) -> Bytes:
    """A bell curve in place of each pixel."""
    return to_bytes(bell(unit(images), width))


def defocus_blur(images: Bytes, random: np.random.Generator, radius: float, softness: float) -> Bytes:
    """A disk in place of each pixel, mirrored at the edges without repeating them."""
    kernel = _disk(radius, softness).astype(np.float64)[None, :, :, None]
    return to_bytes(ndimage.correlate(unit(images), kernel, mode="mirror"))


def frosted_glass_blur(images: Bytes, random: np.random.Generator, width: float, times: float) -> Bytes:
    """Smoothed, pixels moved by at most one, smoothed again.

    Every pixel from the third row and column on takes the colour of one of the four at or up and left of it. (Pixels
    were meant to change places in the released files; there, one of the two was overwritten before it was moved.)
    """
    x = (bell(unit(images), width) * 255).astype(np.uint8)
    rows, columns = np.mgrid[2:SIDE, 2:SIDE]
    each = np.arange(len(x))[:, None, None]
    for _ in range(int(times)):
        down, right = random.integers(-1, 1, size=(2, len(x), *rows.shape))
        x[:, 2:, 2:] = x[each, rows + down, columns + right]
    return to_bytes(bell(unit(x), width))


def zoom_blur(images: Bytes, random: np.random.Generator, stop: float) -> Bytes:
    """The mean of the image and of views that come nearer by one part in a hundred, in float32."""
    x = np.moveaxis(unit(images), 0, 2).astype(np.float32)
    total = np.zeros_like(x)
    zooms = np.arange(1, stop, 0.01)
    for zoom in zooms:
        total += enlarged(x, zoom).astype(np.float32)
    return np.moveaxis(to_bytes((x + total) / (len(zooms) + 1)), 2, 0)


def enlarged(x: Floats, zoom: float) -> Floats:
    """The middle of pictures (H, W, ...) made large enough to fill them, in float64.

    A zoom is linear in the rows and in the columns: two products with one matrix, which is a zoom of the identity.
    """
    size = int(np.ceil(SIDE / zoom))
    start = (SIDE - size) // 2
    matrix = ndimage.zoom(np.eye(SIDE)[start : start + size], (zoom, 1), order=1)
    trim = (len(matrix) - SIDE) // 2
    matrix = matrix[trim : trim + SIDE]
    rows = (matrix @ x.reshape(SIDE, -1)).reshape(SIDE, SIDE, -1)
    return np.asarray(matrix @ rows).reshape(x.shape)


def _disk(radius: float, softness: float) -> NDArray[np.float32]:
    """A disk of weight 1 in float32, smoothed over its neighbours."""
    reach = 2
    rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    disk = (rows**2 + columns**2 <= radius**2).astype(np.float32)
    side = np.exp(-0.5 / softness**2)
    weights = (np.array([side, 1, side]) / (1 + 2 * side)).astype(np.float32)
    disk /= disk.sum()
    soft: NDArray[np.float32] = ndimage.correlate(disk, np.outer(weights, weights), mode="constant")
    return soft
