"""Settings of the UCI study."""

import json
from dataclasses import replace

import pytest

from endd.data.uci import NAMES
from endd.studies.uci_config import PRESETS, Config


def test_paper_is_the_papers_text() -> None:
    paper = PRESETS["paper"]
    assert (paper.members, paper.hidden, paper.student_hidden) == (10, (50,), (75,))
    assert (paper.activation, paper.student_activation, paper.loss, paper.validation) == ("relu", "relu", "nll", 0)
    for recipe, epochs in ((paper.teacher, 40), (paper.student, 30)):
        assert (recipe.epochs, recipe.batch_size, recipe.optimiser) == (epochs, 100, "adam")
        assert (recipe.learning_rate, recipe.schedule) == (1e-3, "constant")


def test_converged_is_the_default() -> None:
    assert PRESETS["converged"] == Config()
    assert Config().datasets == NAMES
    assert {name: config.preset for name, config in PRESETS.items()} == {name: name for name in PRESETS}
    assert (Config().members, Config().hidden, Config().student_hidden) == (10, (50,), (75,))


@pytest.mark.parametrize(
    "wrong",
    [
        {"splits": "kfold10"},
        {"loss": "mse"},
        {"members": 0},
        {"pool": -1},
        {"validation": 1.0},
        {"student_validation": -0.1},
        {"datasets": ()},
        {"datasets": ("yacht", "yacht")},
    ],
)
def test_nonsense_is_named(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        replace(Config(), **wrong)


def test_settings_are_plain() -> None:
    settings = Config().as_plain()
    assert json.loads(json.dumps(settings)) == settings


def test_smoke_is_short() -> None:
    small = replace(Config(), student_steps=5000).smoke()
    assert small.teacher.epochs == small.student.epochs == 2
    assert (small.teacher_steps, small.student_steps) == (None, None)
