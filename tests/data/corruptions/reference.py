"""Six test images of CIFAR-10, and what is known of them under the corruptions without randomness.

reference.npz: `images` (6, 32, 32, 3); of seven corruptions the sha256 of the result at each severity; of
jpeg_compression the results (5, 2, 32, 32, 3) of the first two. They come from the constants of the official generator
and hit the published sizes of the released images to the byte.
"""

from pathlib import Path

import numpy as np

with np.load(Path(__file__).with_name("reference.npz")) as found:
    REFERENCE = {key: found[key] for key in found.files}
IMAGES = REFERENCE["images"]
EXACT = ("brightness", "contrast", "saturate", "gaussian_blur", "defocus_blur", "zoom_blur", "pixelate")


def change(images: np.ndarray) -> float:
    """The mean absolute difference to the images as they were, in grey levels."""
    return float(np.abs(images.astype(int) - IMAGES[: len(images)]).mean())
