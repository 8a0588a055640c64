"""What students learn from is made once for all that can share it."""

from dataclasses import replace

import pytest
import torch

from endd.studies import cifar10_training
from endd.studies.cifar10_groups import workshop_of
from endd.studies.cifar10_images import load_pictures
from endd.studies.cifar10_lessons import Lesson, Lessons, about
from endd.studies.cifar10_training import on
from tests.studies.small_pictures import FROST, TINY

CONFIG = on(replace(TINY, outside_rows=8), "cpu")


def test_lessons_are_made_once_and_the_oldest_leaves_first() -> None:
    made: list[int] = []

    def take(lessons: Lessons, seed: int, what: str = "crops") -> Lesson:
        def make() -> Lesson:
            made.append(seed)
            return Lesson(torch.tensor(seed), torch.tensor(-seed))

        return lessons.get(seed, what, make)

    lessons = Lessons(2)
    for seed in (0, 1, 0, 2):
        assert take(lessons, seed) == (seed, -seed)
    assert made == [0, 1, 2]
    take(lessons, 0)
    assert made[-1] == 0
    take(lessons, 0, "warps")  # in the place of the other one of this repeat
    assert (made, [*lessons.kept]) == ([0, 1, 2, 0, 0], [2, 0])


@pytest.mark.parametrize(
    "change",
    [
        {"width": 8},
        {"student": replace(CONFIG.student, epochs=7)},
        {"warm": None, "warm_views": 9},
        {"late": None, "late_views": 9, "late_warm": True},
        {"mean_weight": 0.1},
        {"seeds": 3, "first_seed": 1},
        {"groups": ()},
        {"models": ("a",)},
    ],
)
def test_other_students_learn_from_the_same(change: dict[str, object]) -> None:
    assert about(replace(CONFIG, **change)) == about(CONFIG)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        *({"views": 5}, {"mix": 0.1}, {"warp": 0.1}, {"push": 0.1}, {"members": 4}),
        {"student": replace(CONFIG.student, precision="bf16-mixed")},  # in which members are asked, too
    ],
)
def test_other_pixels_or_labels_are_another_lesson(change: dict[str, object]) -> None:
    assert about(replace(CONFIG, **change)) != about(CONFIG)  # type: ignore[arg-type]


def test_groups_share_what_members_said(
    small_pictures: None, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    ask = cifar10_training.raw_outputs

    def note(model: object, x: torch.Tensor, precision: str) -> object:
        asked.append(len(x))
        return ask(model, x, precision)  # type: ignore[arg-type]

    monkeypatch.setattr(cifar10_training, "raw_outputs", note)
    pictures, lessons = load_pictures(CONFIG, None, torch.device("cpu")), Lessons(1)
    common = pictures, tmp_path_factory.mktemp("out"), "none", FROST, lessons
    students, rivals = (workshop_of(group, CONFIG, *common).lesson(0) for group in ("students", "rivals"))
    assert rivals is students
    usual = CONFIG.views * CONFIG.train_rows
    assert asked == [usual]
    for late_warm, before, views in ((False, "students", CONFIG.views), (True, "warm", CONFIG.warm_views)):
        config = replace(CONFIG, late=None, late_warm=late_warm)
        there, outside = (workshop_of(group, config, *common).lesson(0) for group in (before, "outside"))
        rows = views * CONFIG.train_rows
        assert [*dict.fromkeys(asked)][-2:] == [rows, 4 * 8 * views]
        assert torch.equal(outside.pool[:rows], there.pool)
        assert torch.equal(outside.labels[:, :rows], there.labels)
        assert outside.labels.shape[1] == len(outside.pool)
        assert not lessons.kept  # nobody needs the usual one any more
    assert len(asked) == 4
