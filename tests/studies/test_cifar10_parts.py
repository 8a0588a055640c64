"""Parts of the CIFAR-10 study, which know all that they need."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from endd.studies.cifar10_config import Config
from endd.studies.cifar10_methods import students
from endd.studies.cifar10_parts import Parts, Repeats, prepared
from endd.studies.cifar10_training import SECONDS, on
from tests.studies.small_pictures import TINY

pytestmark = pytest.mark.usefixtures("small_pictures")
NAMES = frozenset(students(TINY)["students"])


def parts(out: Path, config: Config = TINY) -> Parts:
    return prepared(on(config, "cpu"), out, "none", None)


def has_students(out: Path, *seeds: int) -> None:
    for seed in seeds:
        for name in NAMES:
            (out / "students" / str(seed) / name).mkdir(parents=True)
        (out / "students" / str(seed) / SECONDS).write_text("{}")


def test_students_that_train_together_are_a_part(tmp_path: Path) -> None:
    config = replace(TINY, seeds=5, together=2, groups=("students", "rivals"))
    wanted = {(group, seed): {f"one of {group}"} for group in config.groups for seed in config.all_seeds()}
    assert parts(tmp_path, config).plan(wanted) == [
        Repeats(group, seeds, frozenset({f"one of {group}"}))
        for seeds in ((0, 1), (2, 3), (4,))
        for group in config.groups
    ]


def test_students_that_are_there_are_asked_one_by_one(tmp_path: Path) -> None:
    config = replace(TINY, seeds=5, together=2)
    has_students(tmp_path, 0, 1)
    wanted = {("students", seed): {*NAMES} for seed in (1, 2, 3, 4)}
    assert [part.seeds for part in parts(tmp_path, config).plan(wanted)] == [(1,), (2, 3), (4,)]


def test_settings_are_written_and_members_missing_before_the_first_part(tmp_path: Path) -> None:
    work = parts(tmp_path, replace(TINY, seeds=3))
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]
    assert work.without_members() == [0, 1, 2]


def test_it_travels_without_what_was_said(tmp_path: Path) -> None:
    work = parts(tmp_path)
    work.remembered[0] = {}
    there = pickle.loads(pickle.dumps(work))
    assert there.remembered == {}
    assert (there.config, there.out) == (work.config, work.out)
    assert torch.equal(there.pictures.x_train, work.pictures.x_train)


def test_a_part_leaves_other_repeats_alone(tmp_path: Path) -> None:
    """Of its own it keeps a few outputs, and all of them on request."""
    work = parts(tmp_path, replace(TINY, seeds=3, together=2))
    for seed in (1, 2):
        work.make_members(seed)
    ((result, outputs),) = work.ask(Repeats("students", (1,), NAMES))
    assert {record.seed for record in result.records} == {outputs.seed} == {1}
    assert len(outputs.y) == TINY.kept_rows
    assert [path.name for path in (tmp_path / "students").iterdir()] == ["1"]
    ((_, everything),) = replace(work, keep_outputs=True).ask(Repeats("students", (1,), NAMES))
    assert len(everything.y) == TINY.test_rows
