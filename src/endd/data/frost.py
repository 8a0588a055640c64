"""The five pictures of frost that the frost corruption draws pieces of.

A folder (`data`, else the environment variable ENDD_DATA) holds frost/frost1.png to frost5.jpg of the public project
hendrycks/robustness (Apache-2.0).
"""

import os
from pathlib import Path

import numpy as np

from endd.data.pixels import SIDE, Bytes
from endd.data.uci import VARIABLE

FILES = ("frost1.png", "frost2.png", "frost3.png", "frost4.jpg", "frost5.jpg")


def load_frost(data: str | Path | None = None) -> tuple[Bytes, ...]:
    """Five pictures (H, W, 3) in uint8, of different sizes."""
    folder = data or os.environ.get(VARIABLE)
    files = [Path(folder or "") / "frost" / name for name in FILES]
    missing = [file.name for file in files if not (folder and file.is_file())]
    if missing:
        raise FileNotFoundError(
            f"Expected pictures of frost, but there is no {', '.join(missing)} in {folder}. Point --data or {VARIABLE} "
            "at a folder that holds frost/, with these files from https://github.com/hendrycks/robustness."
        )
    return tuple(_read(file) for file in files)


def _read(file: Path) -> Bytes:
    from PIL import Image

    try:
        with Image.open(file) as picture:
            pixels = np.asarray(picture.convert("RGB"))
    except OSError as error:
        raise ValueError(f"Expected a picture in {file}, but it cannot be read: {error}.") from None
    if min(pixels.shape[:2]) // 5 <= SIDE:
        raise ValueError(f"Expected a picture of more than {5 * SIDE} pixels a side, but {file} is {pixels.shape[:2]}.")
    return pixels
