"""Settings of the CIFAR-10 study."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from endd.data.corruptions import CORRUPTIONS as ALL
from endd.studies.cifar10_config import CORRUPTIONS, PRESETS, WARM, Config
from endd.studies.cifar10_folder import OF_MEMBERS, as_then, check_settings, late_as_there, write_settings


def test_the_papers_protocol_is_the_default() -> None:
    assert (Config().members, Config().depth, Config().train_rows, Config().test_rows) == (10, 20, 40_000, 10_000)
    assert {*ALL} - {*CORRUPTIONS} == {"motion_blur", "snow", "jpeg_compression"}
    assert Config().severities == (1, 2, 3, 4, 5)


def test_presets() -> None:
    assert {name: config.preset for name, config in PRESETS.items()} == {name: name for name in PRESETS}
    one = replace(PRESETS["full"], preset="standard", seeds=1, together=1, groups=("students",))
    assert one == PRESETS["standard"]
    assert PRESETS["smoke"].train_rows < 1000


def test_the_short_study_takes_the_members_of_the_whole_one() -> None:
    short, full = PRESETS["short"].as_plain(), PRESETS["full"].as_plain()
    assert {name: short[name] for name in OF_MEMBERS} == {name: full[name] for name in OF_MEMBERS}
    assert PRESETS["short"].student.epochs < PRESETS["full"].student.epochs / 10


def test_late_students_learn_for_as_long_as_in_the_paper() -> None:
    full = PRESETS["full"]
    assert full.late is not None
    assert (full.late.epochs, full.outside_from * full.late.epochs) == (150, 60)
    assert replace(full.late, epochs=full.student.epochs) == full.student
    assert full.outside_rows == 5_000


@pytest.mark.parametrize("name", ["cifar10", "cifar10-short"])
def test_what_was_committed_goes_on(name: str) -> None:
    out = Path(__file__).parents[2] / "results" / name
    there = replace(PRESETS["full"], late_warm=True) if name == "cifar10" else PRESETS["short"]
    check_settings(out, there.as_plain())


def test_how_late_students_start_is_settled_once_there_are_some(tmp_path: Path) -> None:
    plain, late = Config(), Config(groups=("outside",))
    warm = replace(late, late_warm=True)
    write_settings(tmp_path, plain.as_plain())
    check_settings(tmp_path, late.as_plain())
    check_settings(tmp_path, warm.as_plain())
    (tmp_path / "config.json").write_text(json.dumps(warm.as_plain()))
    with pytest.raises(ValueError, match=r"to start from a member, .* Add --warm"):
        check_settings(tmp_path, late.as_plain())
    more = late_as_there(tmp_path, plain)  # that adds none, and need not know
    assert more == replace(plain, late_warm=True)
    assert late_as_there(tmp_path, late) == late
    check_settings(tmp_path, more.as_plain())
    before = {name: value for name, value in warm.as_plain().items() if name != "late_warm"}
    assert as_then(before)["late_warm"] is True
    then = {name: value for name, value in late.as_plain().items() if name not in ("late", "late_views")}
    assert as_then(then)["late"] is None  # when they learnt as the students did
    assert as_then(then | {"late_warm": True})["late"] == late.as_plain()["late"]
    (tmp_path / "config.json").write_text(json.dumps(before))  # when all that could started from a member
    check_settings(tmp_path, warm.as_plain())


@pytest.mark.parametrize(("preset", "groups"), [("short", ("students",)), ("full", ("students", "outside"))])
def test_before_there_were_starts_from_a_member_there_were_none(
    preset: str, groups: tuple[str, ...], tmp_path: Path
) -> None:
    then = replace(PRESETS[preset], groups=groups, warm=None).as_plain()
    del then["warm"], then["warm_views"]
    (tmp_path / "config.json").write_text(json.dumps(then))
    check_settings(tmp_path, replace(PRESETS[preset], warm=None).as_plain())
    with pytest.raises(ValueError, match=r"warm.* was None and now is"):
        check_settings(tmp_path, replace(PRESETS[preset], warm=WARM).as_plain())


@pytest.mark.parametrize(
    "wrong", [{"members": 1}, {"views": 0}, {"kept_rows": 0}, {"seeds": 0}, {"groups": ("students", "others")}]
)
def test_nonsense_is_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        replace(Config(), **wrong)


@pytest.mark.parametrize("wrong", [{"train_rows": 40_001}, {"test_rows": 10_001}])
def test_more_images_than_there_are(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        replace(Config(), **wrong)


def test_settings_are_plain() -> None:
    settings = Config().as_plain()
    assert json.loads(json.dumps(settings)) == settings
