"""Fewer pixels, fewer bytes."""

import numpy as np

from endd.data.corruptions.digital import jpeg_compression, pixelate
from tests.data.corruptions.reference import IMAGES, change

RANDOM = np.random.default_rng(0)


def test_pixelate_halves_are_means_of_four() -> None:
    found = pixelate(IMAGES, RANDOM, 0.5)
    assert np.array_equal(found[:, ::2, ::2], found[:, 1::2, 1::2])
    means = IMAGES.reshape(-1, 16, 2, 16, 2, 3).mean((2, 4))
    assert np.abs(found[:, ::2, ::2] - means).max() <= 1


def test_lower_quality_changes_more() -> None:
    changes = [change(jpeg_compression(IMAGES, RANDOM, quality)) for quality in (95, 80, 40)]
    assert 0 < changes[0] < changes[1] < changes[2] < 12
