"""Small images in place of CIFAR-10 and SVHN: ten coloured patterns under noise, and noise alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from endd.data.cifar10 import CLASSES, Images
from endd.studies import cifar10_groups, cifar10_images
from endd.studies.cifar10_config import PRESETS
from endd.studies.result import Record, Result

#: The smoke preset made smaller: a repeat takes a second.
TINY = replace(
    PRESETS["smoke"],
    seeds=1,
    members=2,
    width=2,
    train_rows=48,
    validation_rows=32,
    test_rows=32,
    corruptions=("brightness",),
    severities=(1,),
    kept_rows=8,
    groups=("students",),
)


def patterns(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Images (rows, 32, 32, 3) and their classes."""
    base = np.random.default_rng(9).integers(0, 256, (10, 4, 4, 3)).repeat(8, 1).repeat(8, 2)
    random = np.random.default_rng(seed)
    y = random.integers(0, 10, rows).astype(np.uint8)
    return (base[y] + random.normal(0, 60, (rows, 32, 32, 3))).clip(0, 255).astype(np.uint8), y


IMAGES = Images(*patterns(400, 0), *patterns(100, 1), class_names=CLASSES)
FROST = tuple(np.random.default_rng(3).integers(0, 256, (5, 200, 260, 3), np.uint8))
HOUSES = np.random.default_rng(2).integers(0, 256, (80, 32, 32, 3), np.uint8)


class Killed(BaseException):
    """What ends a run in the middle."""


def use_small_pictures(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """The study reads these images, and keeps corrupted ones in `cache`."""
    monkeypatch.setattr(cifar10_images, "load_cifar10", lambda data: IMAGES)
    monkeypatch.setattr(cifar10_images, "load_svhn", lambda data: HOUSES)
    monkeypatch.setattr(cifar10_images, "cache_folder", lambda other: cache)
    monkeypatch.setattr(cifar10_groups, "load_frost", lambda data: FROST)


def timeless(result: Result) -> list[Record]:
    """All records but those of how long things took, with the digits that metrics.json keeps."""
    kept = [record for record in result.records if record.metric != "train_seconds" and "ms_" not in record.metric]
    return [replace(record, value=float(f"{record.value:.7g}")) for record in kept]
