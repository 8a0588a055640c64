"""Fewer pixels, and fewer bytes."""

import io

import numpy as np
from PIL import Image

from endd.data.pixels import SIDE, Bytes


def pixelate(images: Bytes, random: np.random.Generator, scale: float) -> Bytes:
    """Smaller and large again, each pixel the mean of the box that it covers."""
    small = (int(SIDE * scale),) * 2
    box = Image.Resampling.BOX
    pictures = (Image.fromarray(image).resize(small, box).resize((SIDE, SIDE), box) for image in images)
    return np.stack([np.asarray(picture) for picture in pictures])


def jpeg_compression(images: Bytes, random: np.random.Generator, quality: float) -> Bytes:
    """Through JPEG and back. The library behind Pillow is about one grey level off the one of the released files."""
    return np.stack([_through_jpeg(image, int(quality)) for image in images])


def _through_jpeg(image: Bytes, quality: int) -> Bytes:
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=quality)
    with Image.open(file) as picture:
        return np.asarray(picture)
