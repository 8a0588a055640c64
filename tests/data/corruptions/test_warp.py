"""Sampling between pixels, and what an elastic map leaves alone."""

import numpy as np
from scipy import ndimage

from endd.data.corruptions.warp import bilinear, elastic
from tests.data.corruptions.reference import IMAGES

X = np.random.default_rng(0).random((2, 32, 32, 3))
PLACES = np.broadcast_to(np.mgrid[:32, :32].astype(float)[:, None], (2, 2, 32, 32))


def random() -> np.random.Generator:
    return np.random.default_rng(0)


def test_sampling_is_scipys_with_mirrored_edges() -> None:
    rows, columns = PLACES + random().uniform(-5, 5, PLACES.shape)
    found = bilinear(X, rows, columns)
    for k in range(2):
        for colour in range(3):
            expected = ndimage.map_coordinates(X[k, :, :, colour], [rows[k], columns[k]], order=1, mode="mirror")
            assert np.allclose(found[k, :, :, colour], expected)


def test_nothing_moves_without_strength_and_shift() -> None:
    found = elastic(IMAGES, random(), 0, 0, 0)
    assert np.abs(found.astype(int) - IMAGES).max() <= 1


def test_a_flat_picture_stays_and_small_shifts_change_less() -> None:
    grey = np.full((3, 32, 32, 3), 90, np.uint8)
    assert np.abs(elastic(grey, random(), 0.1, 0.03, 0.08).astype(int) - 90).max() <= 1
    changes = [np.abs(elastic(IMAGES, random(), 0, 0, shift).astype(int) - IMAGES).mean() for shift in (0.01, 0.08)]
    assert 0 < changes[0] < changes[1]
