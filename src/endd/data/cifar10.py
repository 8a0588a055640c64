"""CIFAR-10 (Krizhevsky 2009): 50000 images to train on and 10000 to test on, 32 by 32 pixels, ten classes.

A folder of your own comes first: `data`, else the environment variable ENDD_DATA, names one that holds cifar10/ with
sheets of images (data_batch_1.webp ... test_batch.webp, labels.npz), the original pickles (cifar-10-batches-py) or
cifar-10-python.tar.gz. Without a folder the last of these is downloaded. All give the same arrays, and are checked.
"""

import os
from pathlib import Path
from typing import NamedTuple

from endd.data.cifar10_forms import ARCHIVE, FOLDER, Arrays, find_form, read_archive
from endd.data.fetching import cache_folder, fetch, fingerprint
from endd.data.pixels import Bytes
from endd.data.uci import VARIABLE

HOME = "https://www.cs.toronto.edu/~kriz"
CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
#: sha256 of the bytes of x_train, y_train, x_test, y_test.
FINGERPRINTS = (
    "47af8b02cfcfb6cdf3dbbd1969ad7f1b70f4413f6f80f437b020ee4e5bc8304a",
    "2b7cd2f24487317614016b72ffd53071c3062f592f0eb300c18a770d41ae1253",
    "f9b1e2130bab680db56eb06d886f7f1ad0f1183907ceff4659d1735c890f5b04",
    "cec8a24a1e92aa2ecaa0bbd3dbfa86bf6cd8759fbd209a832824c8cf0afca9d5",
)


class Images(NamedTuple):
    """Images (N, 32, 32, 3) and labels (N,), both uint8, in the original order; the classes by name."""

    x_train: Bytes
    y_train: Bytes
    x_test: Bytes
    y_test: Bytes
    class_names: tuple[str, ...]


def load_cifar10(data: str | Path | None = None) -> Images:
    """CIFAR-10 from a folder (`data`, else ENDD_DATA) or, without one, from its home."""
    folder = data or os.environ.get(VARIABLE)
    arrays = _from_folder(Path(folder)) if folder else download_cifar10()
    if tuple(map(fingerprint, arrays)) != FINGERPRINTS:
        source = folder or "the download"
        raise ValueError(f"Expected the images and labels of CIFAR-10, but {source} holds others. Fetch them again.")
    return Images(*arrays, class_names=CLASSES)


def download_cifar10(cache: str | Path | None = None) -> Arrays:
    """CIFAR-10 from a cache that is filled on first use."""
    folder = fetch(HOME, [ARCHIVE], cache_folder(cache), "CIFAR-10", f"cifar10/{ARCHIVE}")
    return read_archive(folder / ARCHIVE)


def _from_folder(folder: Path) -> Arrays:
    read = find_form(folder)
    if read is None:
        raise FileNotFoundError(
            f"Expected CIFAR-10 in {folder}, but there is none. Point --data or {VARIABLE} at a folder that holds "
            f"cifar10/ with sheets and labels.npz, {FOLDER} or {ARCHIVE}, or leave out both to download it."
        )
    return read()
