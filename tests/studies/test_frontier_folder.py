"""A folder goes on with the settings and the teacher that it began with."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from endd.studies.frontier_config import PRESETS, Config, taught_by
from endd.studies.frontier_folder import check_settings, settings_of
from endd.studies.result import Result


@pytest.fixture
def plain(cifar10_study: tuple[Path, Result]) -> dict[str, object]:
    return settings_of(taught_by(PRESETS["smoke"], cifar10_study[0]), cifar10_study[0])


def begin(out: Path, plain: object) -> None:
    (out / "config.json").write_text(json.dumps(plain))


def test_members_are_told_apart_by_their_weights(plain: dict[str, dict[str, str]]) -> None:
    assert {*plain["teachers"]} == {"0", "1"}
    assert plain["teachers"]["0"] != plain["teachers"]["1"]
    assert settings_of(PRESETS["smoke"], None)["teachers"] == {}


def test_more_models_and_repeats_may_come(tmp_path: Path, cifar10_study: tuple[Path, Result]) -> None:
    small = replace(PRESETS["smoke"], seeds=1, widths=(4.0,), groups=("students",), together=1)
    begin(tmp_path, settings_of(taught_by(small, cifar10_study[0]), cifar10_study[0]))
    check_settings(tmp_path, settings_of(taught_by(PRESETS["smoke"], cifar10_study[0]), cifar10_study[0]))


def test_a_setting_that_came_up_later_was_at_its_default(tmp_path: Path) -> None:
    plain = settings_of(Config(), None)
    older = {name: value for name, value in plain.items() if name != "rounds"}
    older["study"] = {name: value for name, value in older["study"].items() if name != "warp"}
    begin(tmp_path, older)
    check_settings(tmp_path, plain)


def test_other_settings_and_another_teacher_are_refused(tmp_path: Path, plain: dict[str, object]) -> None:
    check_settings(tmp_path, plain)  # nothing there yet
    begin(tmp_path, plain)
    with pytest.raises(ValueError, match=r"epochs was 2 and now is 3\. Choose another --out, or delete"):
        check_settings(tmp_path, plain | {"epochs": 3})
    with pytest.raises(ValueError, match=r"teachers\.1 was '\w{12}' and now is 'other'"):
        check_settings(tmp_path, plain | {"teachers": {"1": "other"}})


def test_damaged_settings_are_named(tmp_path: Path, plain: dict[str, object]) -> None:
    for damage in ("", "[]", "{}"):
        (tmp_path / "config.json").write_text(damage)
        with pytest.raises(ValueError, match=r"Expected settings in .* cannot be read"):
            check_settings(tmp_path, plain)


def test_what_was_committed_goes_on() -> None:
    """With the settings of its teacher as they are by now, also those that no frontier depends on."""
    results = Path(__file__).parents[2] / "results"
    config = taught_by(PRESETS["full"], results / "cifar10")
    assert config.study.late_warm
    check_settings(results / "frontier", settings_of(config, results / "cifar10"))
