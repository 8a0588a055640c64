"""Noise on every value by itself."""

import numpy as np

from endd.data.pixels import Bytes, to_bytes, unit


def gaussian_noise(images: Bytes, random: np.random.Generator, deviation: float) -> Bytes:
    """x + e, e normal."""
    x = unit(images)
    return to_bytes(x + random.normal(scale=deviation, size=x.shape))


def speckle_noise(images: Bytes, random: np.random.Generator, deviation: float) -> Bytes:
    """x + x e, e normal."""
    x = unit(images)
    return to_bytes(x + x * random.normal(scale=deviation, size=x.shape))


def shot_noise(images: Bytes, random: np.random.Generator, photons: float) -> Bytes:
    """Counts of photons, `photons` of them for white."""
    return to_bytes(random.poisson(unit(images) * photons) / photons)


def impulse_noise(images: Bytes, random: np.random.Generator, amount: float) -> Bytes:
    """Salt and pepper: a share of the values becomes 0 or 255, each as often."""
    hit = random.random(images.shape) <= amount
    salt = random.random(images.shape) <= 0.5
    return np.where(hit, np.where(salt, np.uint8(255), np.uint8(0)), images)
