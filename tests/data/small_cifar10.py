"""A small CIFAR-10 in each of its forms, with other images: six batches of four."""

import hashlib
import io
import pickle
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from endd.data import cifar10, cifar10_forms
from endd.data.cifar10_forms import MD5, Arrays
from endd.data.fetching import fingerprint

COUNT = 4
NAMES = tuple(MD5)


def small_arrays() -> Arrays:
    random = np.random.default_rng(0)
    x = random.integers(0, 256, (6 * COUNT, 32, 32, 3), np.uint8)
    y = random.integers(0, 10, 6 * COUNT).astype(np.uint8)
    return Arrays(x[:-COUNT], y[:-COUNT], x[-COUNT:], y[-COUNT:])


def write_sheets(folder: Path) -> None:
    arrays = small_arrays()
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "labels.npz", y_train=arrays.y_train, y_test=arrays.y_test)
    for name, x in zip(NAMES, np.concatenate([arrays.x_train, arrays.x_test]).reshape(6, 2, 2, 32, 32, 3), strict=True):
        sheet = x.swapaxes(1, 2).reshape(64, 64, 3)
        Image.fromarray(sheet).save(folder / f"{name}.webp", lossless=True, exact=True)


def pickled() -> dict[str, bytes]:
    """Batches as the original files hold them: rows of 3072 values, colour by colour."""
    arrays = small_arrays()
    x = np.concatenate([arrays.x_train, arrays.x_test]).transpose(0, 3, 1, 2).reshape(6, COUNT, 3072)
    y = np.concatenate([arrays.y_train, arrays.y_test]).reshape(6, COUNT)
    batches = zip(NAMES, x, y, strict=True)
    return {
        name: pickle.dumps({b"batch_label": b"one", b"data": data, b"labels": labels.tolist()}, protocol=4)
        for name, data, labels in batches
    }


def write_batches(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in pickled().items():
        (folder / name).write_bytes(content)


def write_archive(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(file, "w:gz") as archive:
        for name, content in pickled().items():
            entry = tarfile.TarInfo(f"cifar-10-batches-py/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def expect_small(monkeypatch: pytest.MonkeyPatch) -> Arrays:
    """The hashes of the small set in place of the real ones."""
    for name, content in pickled().items():
        monkeypatch.setitem(cifar10_forms.MD5, name, hashlib.md5(content).hexdigest())
    monkeypatch.setattr(cifar10, "FINGERPRINTS", tuple(map(fingerprint, small_arrays())))
    return small_arrays()
