"""Spatter: drops of water that bend the light at their edges, or mud."""

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from endd.data.corruptions.blur import bell
from endd.data.corruptions.edges import distances, edges
from endd.data.pixels import SIDE, Bytes, Floats, to_bytes, unit

WATER = np.array([175, 238, 238]) / 255
MUD = np.array([63, 42, 20]) / 255
# Light from the upper left.
RELIEF = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])
FARTHEST = 20


def spatter(
    images: Bytes,
    random: np.random.Generator,
    mean: float,
    deviation: float,
    width: float,
    threshold: float,
    strength: float,
    mud: float,
) -> Bytes:
    """Drops where smooth noise is above a threshold."""
    x = unit(images)
    layer = bell(random.normal(mean, deviation, (len(x), SIDE, SIDE)), width)
    if mud:
        covered = bell((layer > threshold).astype(np.float64), strength)
        covered = np.where(covered < 0.8, 0, covered)[..., None]
        return to_bytes(x * (1 - covered) + MUD * covered)
    drops = (np.where(layer < threshold, 0, layer) * 255).astype(np.uint8)
    light = drops * _relief(drops)
    brightest = light.max((1, 2), keepdims=True)
    light = light / np.where(brightest == 0, 1, brightest) * strength
    return to_bytes(x + light[..., None] * WATER)


def _relief(drops: Bytes) -> Floats:
    """How bright a drop is at each pixel, by how far it is from an edge."""
    near = _box(distances(edges(drops, 50, 150), FARTHEST)).astype(np.int64)
    lit = ndimage.correlate(_equalised(near), RELIEF[None], mode="mirror")
    return np.rint(_box(np.clip(lit, 0, 255).astype(np.float64)))


def _box(x: Floats) -> Floats:
    """The mean of 3 by 3 pixels."""
    mean: Floats = ndimage.uniform_filter(x, (0, 3, 3), mode="mirror")
    return mean


def _equalised(levels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Small whole numbers (N, H, W) spread over 0 to 255 so that each part of the range is used as often."""
    flat = levels.reshape(len(levels), -1)
    below = (flat[:, :, None] <= np.arange(FARTHEST + 1)).sum(1)
    least = np.take_along_axis(below, flat.min(1)[:, None], 1)
    # the darkest level becomes 0; a picture of one level stays what it is
    rest = flat.shape[1] - least
    spread = np.rint(np.maximum(below - least, 0) * (255 / np.where(rest == 0, 1, rest))).astype(np.int64)
    table = np.where(rest == 0, np.arange(FARTHEST + 1), spread)
    return np.take_along_axis(table, flat, 1).reshape(levels.shape)
