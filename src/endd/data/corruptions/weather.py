"""Snow, frost and fog."""

from collections.abc import Sequence

import numpy as np

from endd.data.corruptions.blur import enlarged
from endd.data.corruptions.motion import along_lines
from endd.data.pixels import SIDE, Bytes, Floats, to_bytes, unit

GREY = np.array([0.299, 0.587, 0.114])


def snow(
    images: Bytes,
    random: np.random.Generator,
    mean: float,
    deviation: float,
    zoom: float,
    threshold: float,
    radius: float,
    width: float,
    share: float,
) -> Bytes:
    """Paler, with flakes that fall, and the same flakes turned upside down."""
    layer = enlarged(random.normal(mean, deviation, (SIDE, SIDE, len(images))), zoom)
    flakes = np.moveaxis(to_bytes(np.where(layer < threshold, 0, layer)), 2, 0)
    fallen = unit(along_lines(flakes, random.uniform(-135, -45, len(images)), radius, width))[..., None]
    x = unit(images)
    pale = share * x + (1 - share) * np.maximum(x, (x @ GREY)[..., None] * 1.5 + 0.5)
    return to_bytes(pale + fallen + fallen[:, ::-1, ::-1])


def frost(
    images: Bytes, random: np.random.Generator, weight: float, frost_weight: float, *, pictures: Sequence[Bytes]
) -> Bytes:
    """A piece of a picture of frost, at a fifth of its size, over every image."""
    # shrinking to a fifth by linear interpolation takes the middle pixel of five
    small = [picture[2::5, 2::5][: round(len(picture) / 5), : round(picture.shape[1] / 5)] for picture in pictures]
    pieces = np.empty(images.shape)
    for number, which in enumerate(random.integers(len(small), size=len(images))):
        top, left = (random.integers(size - SIDE) for size in small[which].shape[:2])
        pieces[number] = small[which][top : top + SIDE, left : left + SIDE]
    return np.clip(weight * images + frost_weight * pieces, 0, 255).astype(np.uint8)


def fog(images: Bytes, random: np.random.Generator, weight: float, decay: float) -> Bytes:
    """A cloud over every image, made as dark as the image's brightest value allows."""
    x = unit(images)
    brightest = x.max((1, 2, 3), keepdims=True)
    x = x + weight * clouds(random, len(images), decay)[..., None]
    return to_bytes(x * brightest / (brightest + weight))


def clouds(random: np.random.Generator, count: int, decay: float) -> Floats:
    """Heights from 0 to 1 (N, 32, 32) by the diamond-square rule: means of four neighbours, plus less and less noise.

    The map wraps around at its edges. Noise at a roughness r is uniform on [-r^2, r^2], and r shrinks by `decay`.
    """
    heights = np.zeros((count, SIDE, SIDE))
    step, roughness = SIDE, 100.0

    def rough_mean(total: Floats) -> Floats:
        return total / 4 + roughness * random.uniform(-roughness, roughness, total.shape)

    while step >= 2:
        half = step // 2
        corners = heights[:, ::step, ::step]
        pairs = corners + np.roll(corners, -1, 1)
        heights[:, half::step, half::step] = middles = rough_mean(pairs + np.roll(pairs, -1, 2))
        across = middles + np.roll(middles, 1, 1) + corners + np.roll(corners, -1, 2)
        heights[:, ::step, half::step] = rough_mean(across)
        along = middles + np.roll(middles, 1, 2) + corners + np.roll(corners, -1, 1)
        heights[:, half::step, ::step] = rough_mean(along)
        step, roughness = half, roughness / decay
    heights -= heights.min((1, 2), keepdims=True)
    heights /= heights.max((1, 2), keepdims=True)
    return heights
