"""One door to all corruptions: by name and severity, seeded, whatever the number of images."""

import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from endd.data.corruptions import blur, colour, digital, motion, noise, spatter, warp, weather
from endd.data.corruptions.constants import CONSTANTS, check_corruption
from endd.data.pixels import SIDE, Bytes

# Images that are corrupted at once, with random numbers of their own: it bounds the memory.
BLOCK = 1000

FUNCTIONS: dict[str, Callable[..., Bytes]] = {
    "gaussian_noise": noise.gaussian_noise,
    "shot_noise": noise.shot_noise,
    "impulse_noise": noise.impulse_noise,
    "speckle_noise": noise.speckle_noise,
    "defocus_blur": blur.defocus_blur,
    "frosted_glass_blur": blur.frosted_glass_blur,
    "motion_blur": motion.motion_blur,
    "zoom_blur": blur.zoom_blur,
    "gaussian_blur": blur.gaussian_blur,
    "snow": weather.snow,
    "frost": weather.frost,
    "fog": weather.fog,
    "spatter": spatter.spatter,
    "brightness": colour.brightness,
    "contrast": colour.contrast,
    "saturate": colour.saturate,
    "elastic": warp.elastic,
    "pixelate": digital.pixelate,
    "jpeg_compression": digital.jpeg_compression,
}


def corrupt(images: Bytes, name: str, severity: int, seed: int = 0, frost: Sequence[Bytes] | None = None) -> Bytes:
    """Images (N, 32, 32, 3) of bytes under a corruption, at a severity from 1 to 5.

    >>> import numpy as np
    >>> corrupt(np.full((2, 32, 32, 3), 100, np.uint8), "brightness", 5)[0, 0, 0].tolist()
    [176, 176, 176]
    """
    check_corruption(name, severity)
    _check_images(images)
    one = partial(FUNCTIONS[name], **_pictures(name, frost))
    result = np.empty_like(images)
    for start in range(0, len(images), BLOCK):
        random = np.random.default_rng([seed, zlib.crc32(name.encode()), severity, start])
        block = slice(start, start + BLOCK)
        result[block] = one(images[block], random, *CONSTANTS[name][severity - 1])
    return result


def _check_images(images: Any) -> None:
    if not isinstance(images, np.ndarray) or images.dtype != np.uint8 or images.shape[1:] != (SIDE, SIDE, 3):
        got = f"{images.dtype} {images.shape}" if isinstance(images, np.ndarray) else type(images).__name__
        raise ValueError(f"Expected images of shape (N, {SIDE}, {SIDE}, 3) in uint8, but got {got}.")


def _pictures(name: str, frost: Sequence[Bytes] | None) -> dict[str, Any]:
    if name != "frost":
        return {}
    if not frost:
        raise ValueError("Expected pictures of frost for the corruption 'frost', but got none. Use load_frost(data).")
    return {"pictures": frost}
