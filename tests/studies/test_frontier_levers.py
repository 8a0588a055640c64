"""Levers change one setting each."""

import pytest

from endd.distributions import DiagonalNormal, LowRankNormal
from endd.studies.cifar10_config import PRESETS
from endd.studies.cifar10_methods import students
from endd.studies.frontier_levers import LEVERS, form_of

STUDY = PRESETS["full"]


@pytest.mark.parametrize("name", LEVERS)
def test_a_lever_changes_something_and_leaves_the_rest(name: str) -> None:
    before, after = STUDY.as_plain(), LEVERS[name](STUDY).as_plain()
    changed = {key for key in before if before[key] != after[key]}
    assert changed <= {"mean_weight", "epistemic_weight", "student", "mix", "patch", "warp", "push"}
    assert len(changed) <= 2  # mixing has two


def test_the_diagonal_is_another_form() -> None:
    known = students(STUDY)["students"]
    forms = {name: str(known[form_of(name)].form) for name in ("lever_diagonal", "lever_ema")}
    assert DiagonalNormal.__name__ in forms["lever_diagonal"]
    assert LowRankNormal.__name__ in forms["lever_ema"]
