"""Settings of the toy study."""

import json
from dataclasses import FrozenInstanceError, replace

import pytest

from endd.studies.toy_config import PRESETS, Config


def test_paper_is_the_papers_text() -> None:
    paper = PRESETS["paper"]
    assert (paper.members, paper.hidden, paper.student_hidden, paper.train_points) == (10, (10,), (10, 10), 1000)
    for recipe, epochs in ((paper.teacher, 150), (paper.student, 30)):
        assert (recipe.epochs, recipe.batch_size, recipe.optimiser) == (epochs, 32, "adam")
        assert (recipe.learning_rate, recipe.schedule) == (1e-3, "constant")
    assert paper.v == "diagonal"


def test_converged_is_the_default() -> None:
    assert PRESETS["converged"] == Config()
    assert {name: config.preset for name, config in PRESETS.items()} == {name: name for name in PRESETS}


def test_it_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Config().seeds = 3  # type: ignore[misc]


@pytest.mark.parametrize("wrong", [{"seeds": 0}, {"first_seed": -1}, {"members": 0}, {"v": "round"}])
def test_nonsense_is_named(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        replace(Config(), **wrong)  # type: ignore[arg-type]


def test_settings_are_plain() -> None:
    settings = Config().as_plain()
    assert json.loads(json.dumps(settings)) == settings
    assert settings["student"]["learning_rate"] == Config().student.learning_rate


def test_smoke_keeps_what_it_does_not_shrink() -> None:
    small = PRESETS["paper"].smoke()
    assert (small.preset, small.v, small.teacher.schedule) == ("paper", "diagonal", "constant")
    assert small.teacher.epochs == small.student.epochs == small.sweep.epochs == 2
