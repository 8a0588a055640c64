"""Images to learn from, and the sets to test on."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from endd.data.corruptions import corrupt
from endd.studies import cifar10_images
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_images import load_pictures, make_corrupted, number_of_sets, on_device, sets_to_test_on
from tests.studies.small_pictures import HOUSES, IMAGES, TINY

CPU = torch.device("cpu")


@pytest.mark.usefixtures("small_pictures")
def test_the_first_images_teach_and_the_last_ones_validate() -> None:
    pictures = load_pictures(TINY, None, CPU)
    assert torch.equal(pictures.x_train, on_device(IMAGES.x_train[:48], CPU))
    assert torch.equal(pictures.x_validation, on_device(IMAGES.x_train[-32:], CPU))
    assert pictures.y_train.tolist() == IMAGES.y_train[:48].tolist()
    assert pictures.y_validation.tolist() == IMAGES.y_train[-32:].tolist()
    assert np.array_equal(pictures.x_test, IMAGES.x_test[:32])
    assert pictures.y_test.tolist() == IMAGES.y_test[:32].tolist()


def test_colours_come_first() -> None:
    image = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(1, 2, 3, 3)
    moved = on_device(image, CPU)
    assert moved.shape == (1, 3, 2, 3)
    assert moved.dtype == torch.uint8
    assert moved[0, 2, 1, 0] == image[0, 1, 0, 2]


@pytest.mark.usefixtures("small_pictures")
def test_every_set_is_there() -> None:
    config = replace(TINY, corruptions=("brightness", "pixelate"), severities=(1, 5))
    sets = dict(sets_to_test_on(config, load_pictures(config, None, CPU), None))
    assert list(sets) == ["clean", "brightness-1", "brightness-5", "pixelate-1", "pixelate-5", "svhn"]
    assert number_of_sets(config) == len(sets)
    assert np.array_equal(sets["clean"], IMAGES.x_test[:32])
    assert np.array_equal(sets["pixelate-5"], corrupt(IMAGES.x_test[:32], "pixelate", 5))
    assert np.array_equal(sets["svhn"], HOUSES[:32])


def test_missing_house_numbers_are_noticed_at_once(small_pictures: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(data: Any) -> None:
        raise FileNotFoundError("SVHN")

    monkeypatch.setattr(cifar10_images, "load_svhn", missing)
    with pytest.raises(FileNotFoundError, match="SVHN"):
        load_pictures(TINY, None, CPU)


def made(monkeypatch: pytest.MonkeyPatch, folder: Path, images: int, workers: int) -> list[tuple[str, int]]:
    """Which sets are made in advance, in threads instead of processes."""
    sets: list[tuple[str, int]] = []

    def note(name: str, severity: int, x: Any, folder: Path, data: Any) -> None:
        sets.append((name, severity))

    def pool(count: int, context: Callable[..., Any], begin: Callable[[], None]) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(count)

    monkeypatch.setattr(cifar10_images, "corrupted", note)
    monkeypatch.setattr(cifar10_images, "_kept_in", lambda: folder)
    monkeypatch.setattr(cifar10_images, "ProcessPoolExecutor", pool)
    make_corrupted(Config(), np.zeros((images, 1, 1, 3), np.uint8), None, workers)
    return sets


def test_large_sets_are_made_side_by_side(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert len(set(made(monkeypatch, tmp_path, 10_000, workers=2))) == 80


def test_what_is_there_is_not_made_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cifar10_images, "not_there", lambda sets, *_: [one for one in sets if one[1] > 2])
    assert len(set(made(monkeypatch, tmp_path, 10_000, workers=2))) == 48


@pytest.mark.parametrize(("images", "workers"), [(100, 2), (10_000, 1)])
def test_small_sets_are_made_when_they_are_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, images: int, workers: int
) -> None:
    assert made(monkeypatch, tmp_path, images, workers) == []
