"""The elastic corruption: a random affine map, then random shifts that are smooth in space."""

import numpy as np
from numpy.typing import NDArray

from endd.data.corruptions.blur import bell
from endd.data.pixels import SIDE, Bytes, Floats, to_bytes, unit

# Three corners of a square in the middle, (column, row): where they go says what the affine map is.
CORNERS = np.array([[26.0, 26.0], [26.0, 6.0], [6.0, 6.0]])
# Affine coordinates are rounded to this part of a pixel.
PARTS = 32


def elastic(images: Bytes, random: np.random.Generator, strength: float, width: float, shift: float) -> Bytes:
    """Image i at A_i (r, c) + (d_i, e_i); strength, width and shift are in image widths."""
    count = len(images)
    moved = CORNERS + random.uniform(-shift * SIDE, shift * SIDE, (count, 3, 2))
    x = bilinear(unit(images), *_affine(moved))
    noise = random.uniform(-1, 1, (2 * count, SIDE, SIDE))
    down, right = np.split(bell(noise, width * SIDE, mode="reflect", truncate=3.0) * strength * SIDE, 2)
    rows, columns = np.mgrid[:SIDE, :SIDE]
    return to_bytes(bilinear(x, _fold(rows + down), _fold(columns + right)))


def bilinear(x: Floats, rows: Floats, columns: Floats) -> Floats:
    """Images (N, H, W, C) at rows and columns (N, H, W), mirrored at their edges without repeating them."""
    each = np.arange(len(x))[:, None, None]
    top, left = np.floor(rows).astype(np.int64), np.floor(columns).astype(np.int64)
    below, beside = (rows - top)[..., None], (columns - left)[..., None]
    high, low, near, far = (_mirror(places) for places in (top, top + 1, left, left + 1))
    upper = x[each, high, near] * (1 - beside) + x[each, high, far] * beside
    lower = x[each, low, near] * (1 - beside) + x[each, low, far] * beside
    between: Floats = upper * (1 - below) + lower * below
    return between


def _affine(moved: Floats) -> tuple[Floats, Floats]:
    """Rows and columns (N, H, W) that the maps from CORNERS to `moved` (N, 3, 2) bring to every pixel."""
    ones = np.ones((len(moved), 3, 1))
    # moved @ inverse = corners: from where a pixel comes
    inverse = np.linalg.solve(np.concatenate([moved, ones], 2), np.broadcast_to(CORNERS, moved.shape))
    rows, columns = np.mgrid[:SIDE, :SIDE]
    places = np.stack([columns, rows, np.ones_like(rows)], -1).reshape(-1, 3) @ inverse
    places = np.floor(places * PARTS + 0.5) / PARTS
    left, top = np.moveaxis(places.reshape(-1, SIDE, SIDE, 2), 3, 0)
    return top, left


def _mirror(places: NDArray[np.int64]) -> NDArray[np.int64]:
    period = 2 * SIDE - 2
    return np.abs((places + SIDE - 1) % period - (SIDE - 1))


def _fold(places: Floats) -> Floats:
    """The edge rule of SciPy before 1.6, with which the released files were made: a jump of half a pixel at either end.

    Below 0, p becomes -p - 1, from SIDE on 2 SIDE - p - 1; the rest is left to the mirror.
    """
    return np.where(places < 0, -places - 1, np.where(places >= SIDE, 2 * SIDE - places - 1, places))
