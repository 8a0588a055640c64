"""Blurs of a point, of a flat picture and of the edges."""

import numpy as np
import pytest
from scipy import ndimage

from endd.data.corruptions.blur import (
    bell,
    defocus_blur,
    enlarged,
    frosted_glass_blur,
    gaussian_blur,
    zoom_blur,
)
from tests.data.corruptions.reference import IMAGES

RANDOM = np.random.default_rng(0)
POINT = np.zeros((1, 32, 32, 3), np.uint8)
POINT[0, 16, 16] = 255


def test_a_point_spreads_over_its_neighbours() -> None:
    blurred = gaussian_blur(POINT, RANDOM, 1.0)[0, :, :, 0]
    assert blurred[16, 16] == int(255 * bell(POINT / 255.0, 1.0)[0, 16, 16, 0])
    assert blurred[16, 15] == blurred[15, 16] == blurred[16, 17] > blurred[15, 15] > 0
    disk = defocus_blur(POINT, RANDOM, 1.5, 0.1)[0, :, :, 0]
    assert (disk[15:18, 15:18] == 255 // 9).all()
    assert disk.sum() == 9 * (255 // 9)


@pytest.mark.parametrize("zoom", [1.0, 1.13, 1.25, 2.25])
def test_an_enlargement_is_scipys(zoom: float) -> None:
    x = RANDOM.random((32, 32, 2))
    size = int(np.ceil(32 / zoom))
    start = (32 - size) // 2
    large = ndimage.zoom(x[start : start + size, start : start + size], (zoom, zoom, 1), order=1)
    trim = (len(large) - 32) // 2
    assert np.allclose(enlarged(x, zoom), large[trim : trim + 32, trim : trim + 32], atol=1e-12)


def test_zoom_leaves_the_middle_and_a_flat_picture() -> None:
    flat = np.full((2, 32, 32, 3), 90, np.uint8)
    assert np.abs(zoom_blur(flat, RANDOM, 1.26).astype(int) - 90).max() <= 1


def test_frosted_glass_moves_pixels_up_and_left_by_at_most_one() -> None:
    found = frosted_glass_blur(IMAGES, np.random.default_rng(1), 0.01, 1)
    assert np.array_equal(found[:, :2], IMAGES[:, :2])
    assert np.array_equal(found[:, :, :2], IMAGES[:, :, :2])
    sources = np.stack([IMAGES[:, 2 - r : 32 - r, 2 - c : 32 - c] for r in (0, 1) for c in (0, 1)])
    same = (sources == found[:, 2:, 2:]).all(-1)
    assert same.any(0).all()
    assert (same.mean((1, 2, 3)) > 0.2).all()
