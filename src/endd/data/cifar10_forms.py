"""The forms in which CIFAR-10 comes: sheets of images, the original pickles, or the archive of these."""

import hashlib
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from endd.data.pickles import read_pickle
from endd.data.pixels import SIDE, Bytes

ARCHIVE = "cifar-10-python.tar.gz"
FOLDER = "cifar-10-batches-py"
TEST = "test_batch"
#: The published md5 sums of the original files.
MD5 = {
    "data_batch_1": "c99cafc152244af753f735de768cd75f",
    "data_batch_2": "d4bba439e000b95fd0a9bffe97cbabec",
    "data_batch_3": "54ebc095f3ab1f0389bbae665268c751",
    "data_batch_4": "634d18415352ddfa80567beed471001a",
    "data_batch_5": "482c414d41f54cd18b22e5b47cb7c3cb",
    TEST: "40351d587109b95175f43aff81a1287e",
}


class Arrays(NamedTuple):
    """Images (N, 32, 32, 3) and labels (N,), both uint8."""

    x_train: Bytes
    y_train: Bytes
    x_test: Bytes
    y_test: Bytes


def find_form(folder: Path) -> Callable[[], Arrays] | None:
    """How to read what a folder holds, or None."""
    for place in (folder, folder / "cifar10"):
        if (place / "labels.npz").is_file():
            return lambda: read_sheets(place)
        for batches in (place / FOLDER, place):
            if (batches / TEST).is_file():
                return lambda: read_batches(batches)
        if (place / ARCHIVE).is_file():
            return lambda: read_archive(place / ARCHIVE)
    return None


def read_sheets(folder: Path) -> Arrays:
    """data_batch_1.webp and so on, each a picture of images row by row, and labels.npz."""
    try:
        with np.load(folder / "labels.npz", allow_pickle=False) as labels:
            y_train, y_test = labels["y_train"], labels["y_test"]
        sheets = {name: _tiles(folder / f"{name}.webp") for name in MD5}
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"Expected sheets of CIFAR-10 and their labels in {folder}, but: {error}.") from None
    train = np.concatenate([sheet for name, sheet in sheets.items() if name != TEST])
    return Arrays(train, y_train.astype(np.uint8), sheets[TEST], y_test.astype(np.uint8))


def _tiles(file: Path) -> Bytes:
    from PIL import Image  # only here: most who load data load no pictures

    with Image.open(file) as picture:
        sheet = np.asarray(picture.convert("RGB"))
    high, wide = sheet.shape[0] // SIDE, sheet.shape[1] // SIDE
    return sheet.reshape(high, SIDE, wide, SIDE, 3).swapaxes(1, 2).reshape(-1, SIDE, SIDE, 3)


def read_batches(folder: Path) -> Arrays:
    """The original pickles in a folder."""

    def content(name: str) -> bytes:
        file = folder / name
        if not file.is_file():
            raise FileNotFoundError(f"Expected the file {name} of CIFAR-10 in {folder}, but there is none.")
        return file.read_bytes()

    return _from_batches(content, str(folder))


def read_archive(file: Path) -> Arrays:
    """The original pickles in their archive."""
    try:
        with tarfile.open(file) as archive:

            def content(name: str) -> bytes:
                found = archive.extractfile(f"{FOLDER}/{name}")
                if found is None:
                    raise KeyError(f"{name} is no file")
                return found.read()

            return _from_batches(content, str(file))
    except (OSError, EOFError, KeyError, tarfile.TarError, zlib.error) as error:
        raise ValueError(f"Expected the archive of CIFAR-10 in {file}, but: {error}. Fetch it again.") from None


def _from_batches(content: Callable[[str], bytes], source: str) -> Arrays:
    x, y = {}, {}
    for name, md5 in MD5.items():
        raw = content(name)
        if hashlib.md5(raw, usedforsecurity=False).hexdigest() != md5:
            raise ValueError(f"Expected the known contents of {name}, but {source} holds others. Fetch it again.")
        batch = read_pickle(raw, f"{source}, {name}")
        planes = np.asarray(batch[b"data"], np.uint8).reshape(-1, 3, SIDE, SIDE)
        x[name] = np.ascontiguousarray(planes.transpose(0, 2, 3, 1))
        y[name] = np.asarray(batch[b"labels"], np.uint8)
    train = [name for name in MD5 if name != TEST]
    return Arrays(
        np.concatenate([x[name] for name in train]),
        np.concatenate([y[name] for name in train]),
        x[TEST],
        y[TEST],
    )
