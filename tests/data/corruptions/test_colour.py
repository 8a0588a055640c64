"""Colours against the standard library's, pixel by pixel."""

import colorsys

import numpy as np

from endd.data.corruptions.colour import brightness, contrast, saturate
from tests.data.corruptions.reference import IMAGES

RANDOM = np.random.default_rng(0)
PIXELS = RANDOM.integers(0, 256, (1, 32, 32, 3), np.uint8)
PIXELS[0, :2] = PIXELS[0, :2, :, :1]  # greys
PIXELS[0, 2] = 0


def test_hue_stays() -> None:
    bright, dull = brightness(PIXELS, RANDOM, 0.2), saturate(PIXELS, RANDOM, 0.3, 0.1)
    for pixel, lighter, paler in zip(*(x.reshape(-1, 3) for x in (PIXELS, bright, dull)), strict=True):
        hue, saturation, value = colorsys.rgb_to_hsv(*(pixel / 255))
        expected = colorsys.hsv_to_rgb(hue, saturation, min(value + 0.2, 1))
        assert np.abs(np.array(expected) * 255 - lighter).max() < 1 + 1e-6
        expected = colorsys.hsv_to_rgb(hue, min(saturation * 0.3 + 0.1, 1), value)
        assert np.abs(np.array(expected) * 255 - paler).max() < 1 + 1e-6


def test_contrast_keeps_the_mean_colour() -> None:
    found = contrast(IMAGES, RANDOM, 0.15)
    assert np.abs(found.mean((1, 2)) - IMAGES.mean((1, 2))).max() < 1
    assert np.abs(found.std((1, 2)) / IMAGES.std((1, 2)) - 0.15).max() < 0.02
