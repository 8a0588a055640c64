"""The student that also learns from corrupted images."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from endd.data.corruptions import corrupt
from endd.studies import cifar10_training
from endd.studies.cifar10_images import load_pictures
from endd.studies.cifar10_outside import SEEN, LateWorkshop, OutsideWorkshop
from endd.studies.cifar10_training import on, student_seed
from endd.studies.cifar10_warm import WarmWorkshop, warmed
from tests.studies.small_pictures import FROST, TINY

CONFIG = warmed(on(replace(TINY, outside_rows=8, outside_from=0.5, warm_views=3), "cpu"))
CPU = torch.device("cpu")


@pytest.fixture
def workshop(small_pictures: None, tmp_path: Path) -> OutsideWorkshop:
    return OutsideWorkshop(CONFIG, load_pictures(CONFIG, None, CPU), tmp_path, "none", shelf="outside", frost=FROST)


def test_the_pool_is_the_others_and_views_of_corrupted_images(workshop: OutsideWorkshop) -> None:
    pool, plain = workshop.lesson(0).pool, WarmWorkshop(CONFIG, workshop.pictures, workshop.out).lesson(0).pool
    assert torch.equal(pool[: len(plain)], plain)
    assert len(pool) - len(plain) == workshop.late()[0] == 4 * 8 * 3


def test_other_images_under_every_corruption(workshop: OutsideWorkshop) -> None:
    images = workshop.images(student_seed(0)).permute(0, 2, 3, 1).numpy().reshape(4, 8, 32, 32, 3)
    clean = workshop.pictures.x_train.permute(0, 2, 3, 1).numpy()
    seen: list[int] = []
    for name, found in zip(SEEN, images, strict=True):
        if name in ("contrast", "gaussian_blur"):  # without noise an image can be known again
            there = corrupt(clean, name, 2)
            seen += [int(np.flatnonzero((there == image).all((1, 2, 3)))[0]) for image in found]
    assert len(set(seen)) == len(seen) == 16


def test_the_same_images_as_they_are_tell_what_corruptions_are_worth(workshop: OutsideWorkshop) -> None:
    plain = LateWorkshop(CONFIG, workshop.pictures, workshop.out, "none", shelf="late")
    clean = workshop.pictures.x_train.permute(0, 2, 3, 1).numpy()
    images = plain.images(student_seed(0)).permute(0, 2, 3, 1).numpy()
    there = [int(np.flatnonzero((clean == image).all((1, 2, 3)))[0]) for image in images]
    assert len({*there}) == 4 * 8
    corrupted = workshop.images(student_seed(0)).permute(0, 2, 3, 1).numpy()
    assert np.array_equal(corrupt(clean[there[:8]], SEEN[0], 2), corrupted[:8])
    ours, theirs = plain.lesson(0).pool, workshop.lesson(0).pool
    usual = len(ours) - plain.late()[0]
    assert torch.equal(ours[:usual], theirs[:usual])
    assert not torch.equal(ours[usual:], theirs[usual:])
    assert plain.late() == workshop.late()


def test_they_come_in_late(workshop: OutsideWorkshop, monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    train = cifar10_training.distill_many

    def note(*arguments: object, **named: object) -> object:
        given.append(named["late"])
        return train(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(cifar10_training, "distill_many", note)
    assert set(workshop.students(0)) == {"distilled_ood"}
    assert given == [(96, 1)]
