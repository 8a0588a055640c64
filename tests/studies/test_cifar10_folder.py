"""A study's folder between two runs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endd._damage import DamagedFileError
from endd.studies.cifar10 import run_stepwise
from endd.studies.cifar10_config import PRESETS, Config
from endd.studies.cifar10_folder import (
    OUTPUTS,
    add_outputs,
    check_members,
    check_outputs,
    check_settings,
    write_settings,
)
from endd.studies.cifar10_outputs import Outputs, load_outputs
from endd.studies.cifar10_training import on
from tests.studies.small_pictures import TINY


def outputs(seed: int, rows: int = 12) -> Outputs:
    raw = {"ensemble": {"clean": np.full((rows, 2, 10), seed, np.float16)}}
    return Outputs(seed, np.zeros(rows, np.int64), np.ones(2), raw)


def kept(out: Path) -> list[tuple[int, int]]:
    """Seeds and rows of the repeats in the file."""
    return [(one.seed, len(one.y)) for one in load_outputs(out / OUTPUTS)[1]]


def test_a_new_folder_takes_any_settings(tmp_path: Path) -> None:
    check_settings(tmp_path / "new", TINY.as_plain())
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "config",
    [
        TINY,
        replace(TINY, seeds=5, first_seed=3),
        replace(TINY, preset="another name"),
        on(TINY, "cpu"),
        replace(TINY, groups=("students", "samplers")),
    ],
)
def test_the_same_settings_go_on(tmp_path: Path, config: Config) -> None:
    write_settings(tmp_path, TINY.as_plain())
    check_settings(tmp_path, config.as_plain())


def test_what_is_written_down_later_does_not_matter(tmp_path: Path) -> None:
    later = {"chosen": {"model": "distilled_diagonal"}, "command": "endd", "missed": {"nll": "tried"}}
    write_settings(tmp_path, TINY.as_plain() | later)
    check_settings(tmp_path, TINY.as_plain())
    check_settings(tmp_path, TINY.as_plain() | {"command": "endd again"})
    check_settings(tmp_path, TINY.as_plain() | {"own": {"mine": "mine.py:mine"}})
    write_settings(tmp_path, TINY.as_plain())
    assert json.loads((tmp_path / "config.json").read_text())["missed"] == {"nll": "tried"}


def test_a_setting_that_came_up_later_had_its_default(tmp_path: Path) -> None:
    plain = TINY.as_plain()
    write_settings(tmp_path, {name: value for name, value in plain.items() if name != "warp"})
    check_settings(tmp_path, plain)
    with pytest.raises(ValueError, match=rf"warp was {TINY.warp} and now is 0\.5"):
        check_settings(tmp_path, replace(TINY, warp=0.5).as_plain())


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"members": 5}, "members was 2 and now is 5"),
        ({"corruptions": ("fog",)}, r"corruptions was \['brightness'\] and now is \['fog'\]"),
        ({"student": replace(TINY.student, epochs=9)}, "student.epochs was 2 and now is 9"),
        ({"preset": "standard", "depth": 20}, "preset was 'smoke' and now is 'standard'"),
    ],
)
def test_other_settings_are_refused(tmp_path: Path, changed: dict[str, Any], named: str) -> None:
    write_settings(tmp_path, TINY.as_plain())
    with pytest.raises(
        ValueError, match=f"^Expected the settings of the earlier run, but {named}. Choose another --out"
    ):
        check_settings(tmp_path, replace(TINY, **changed).as_plain())


def test_full_goes_on_from_standard(tmp_path: Path) -> None:
    write_settings(tmp_path, PRESETS["standard"].as_plain())
    check_settings(tmp_path, PRESETS["full"].as_plain())


@pytest.mark.parametrize("content", ["", "{", "3", '["seeds"]'])
def test_settings_that_cannot_be_read_are_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(ValueError, match=r"Expected settings in .*config\.json"):
        check_settings(tmp_path, TINY.as_plain())


def test_members_serve_other_students_but_no_other_members(tmp_path: Path) -> None:
    check_members(tmp_path, TINY.as_plain())  # a new folder
    (tmp_path / "members").mkdir()
    with pytest.raises(ValueError, match=r"holds no config\.json\. Choose another --teacher"):
        check_members(tmp_path, TINY.as_plain())
    write_settings(tmp_path, TINY.as_plain())
    check_members(tmp_path, replace(on(TINY, "cpu"), views=7, rank=2, groups=("rivals",)).as_plain())
    with pytest.raises(ValueError, match=r"but depth was 8 and now is 20\. Choose another --teacher"):
        check_members(tmp_path, replace(TINY, depth=20).as_plain())


def test_some_rows_of_the_first_repeat_are_kept(tmp_path: Path) -> None:
    for seed in (0, 1):
        add_outputs(tmp_path, TINY, outputs(seed), everything=False)
    assert kept(tmp_path) == [(0, TINY.kept_rows)]


def test_a_repeat_that_comes_again_takes_its_own_place(tmp_path: Path) -> None:
    for everything in (False, True):
        for seed in (0, 0):
            add_outputs(tmp_path, TINY, outputs(seed), everything)
    assert kept(tmp_path) == [(0, 12)]


def test_all_rows_of_all_repeats_are_kept(tmp_path: Path) -> None:
    """Also of those of earlier runs, as long as they are whole."""
    add_outputs(tmp_path, TINY, outputs(0), everything=False)
    for seed in (1, 2):
        add_outputs(tmp_path, TINY, outputs(seed), everything=True)
    assert kept(tmp_path) == [(1, 12), (2, 12)]
    add_outputs(tmp_path, TINY, outputs(3), everything=False)
    assert kept(tmp_path) == [(1, 12), (2, 12)]


@pytest.mark.parametrize("everything", [False, True])
def test_other_models_of_a_repeat_stay(tmp_path: Path, everything: bool) -> None:
    first, more = outputs(0), outputs(0)
    more.raw = {"student": {"clean": np.ones((12, 20), np.float16)}}
    more.facts = {"student": {"parameters": 3.0}}
    for each in (first, more):
        add_outputs(tmp_path, TINY, each, everything)
    (repeat,) = load_outputs(tmp_path / OUTPUTS)[1]
    assert [*repeat.raw] == ["ensemble", "student"]
    assert repeat.facts == more.facts


def test_outputs_that_cannot_be_read_are_told_at_the_start(tmp_path: Path) -> None:
    check_outputs(tmp_path)
    add_outputs(tmp_path, TINY, outputs(0), everything=True)
    check_outputs(tmp_path)
    (tmp_path / OUTPUTS).write_bytes(b"something else")
    with pytest.raises(
        DamagedFileError, match=r"outputs of a CIFAR-10 study in .* Take another file, or move it away\."
    ):
        check_outputs(tmp_path)
    with pytest.raises(DamagedFileError):
        next(run_stepwise(TINY, tmp_path, progress="none", device="cpu"))
    assert [path.name for path in tmp_path.iterdir()] == [OUTPUTS]
