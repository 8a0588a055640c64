"""Brightness, saturation and contrast, in float64: cut to bytes they equal the released files."""

import numpy as np

from endd.data.pixels import Bytes, Floats, to_bytes, unit


def brightness(images: Bytes, random: np.random.Generator, shift: float) -> Bytes:
    """A higher value in hue, saturation and value."""
    hue, saturation, value = _to_hsv(unit(images))
    return to_bytes(_to_rgb(hue, saturation, np.clip(value + shift, 0, 1)))


def saturate(images: Bytes, random: np.random.Generator, factor: float, shift: float) -> Bytes:
    """Another saturation in hue, saturation and value."""
    hue, saturation, value = _to_hsv(unit(images))
    return to_bytes(_to_rgb(hue, np.clip(saturation * factor + shift, 0, 1), value))


def contrast(images: Bytes, random: np.random.Generator, factor: float) -> Bytes:
    """Every colour nearer to its mean over the image."""
    x = unit(images)
    means = x.mean((1, 2), keepdims=True)
    return to_bytes((x - means) * factor + means)


def _to_hsv(x: Floats) -> tuple[Floats, Floats, Floats]:
    red, green, blue = np.moveaxis(x, -1, 0)
    value = x.max(-1)
    spread = value - x.min(-1)
    grey = spread == 0
    safe = np.where(grey, 1, spread)
    # of two equal largest colours the later one counts
    sector = np.select(
        [blue == value, green == value],
        [4 + (red - green) / safe, 2 + (blue - red) / safe],
        (green - blue) / safe,
    )
    hue = np.where(grey, 0, (sector / 6) % 1)
    return hue, np.where(grey, 0, spread / np.where(value == 0, 1, value)), value


def _to_rgb(hue: Floats, saturation: Floats, value: Floats) -> Floats:
    sector = np.floor(hue * 6)
    f = hue * 6 - sector
    p = value * (1 - saturation)
    q = value * (1 - f * saturation)
    t = value * (1 - (1 - f) * saturation)
    place = sector.astype(np.int64) % 6
    colours = ((value, q, p, p, t, value), (t, value, value, q, p, p), (p, p, t, value, value, q))
    return np.stack([np.choose(place, choices) for choices in colours], -1)
