"""Levers change one setting each."""

from dataclasses import replace

import pytest

from endd.distributions import DiagonalNormal, LowRankNormal
from endd.studies.cifar10_config import PRESETS
from endd.studies.cifar10_warm import warmed
from endd.studies.frontier_config import PRESETS as FRONTIERS
from endd.studies.frontier_levers import LEVERS, side_by_side

#: None of the levers is where it would be moved to.
STUDY = replace(PRESETS["full"], mean_weight=0.5, epistemic_weight=1.0, warp=0.25)


@pytest.mark.parametrize("name", LEVERS)
def test_a_lever_changes_something_and_leaves_the_rest(name: str) -> None:
    study = warmed(STUDY) if name == "lever_muon" else STUDY  # all others learn by it anyway
    before, after = study.as_plain(), LEVERS[name].changed(study).as_plain()
    changed = {key for key in before if before[key] != after[key]}
    own = {"lever_no_mixing": {"mix", "patch"}, "lever_diagonal": set(), "lever_symmetric": set()}
    assert changed <= {"mean_weight", "epistemic_weight", "student", "mix", "patch", "blend", "warp", "push", "views"}
    assert changed == own[name] if name in own else len(changed) == 1


def test_the_optimiser_that_students_learn_by_is_no_lever() -> None:
    for preset, own in (("full", "lever_sgd"), ("small", "lever_muon")):
        config = FRONTIERS[preset]
        assert {*LEVERS} - {*config.all_levers()} == {own}
        study = config.at(1)
        assert study.student.optimiser == own.removeprefix("lever_")
        with pytest.raises(ValueError, match=f"change something, but students learn by that of {own} anyway"):
            replace(config, levers=("lever_ema", own)).all_levers()
    assert LEVERS["lever_muon"].changed(study) == study


def test_the_diagonal_is_another_form() -> None:
    forms = {name: str(LEVERS[name].kind(STUDY).form) for name in ("lever_diagonal", "lever_ema")}
    assert DiagonalNormal.__name__ in forms["lever_diagonal"]
    assert LowRankNormal.__name__ in forms["lever_ema"]


def test_one_lever_is_another_network() -> None:
    kinds = {name: LEVERS[name].kind(STUDY) for name in LEVERS}
    looks = {name: kind.student(STUDY).net.symmetric for name, kind in kinds.items()}
    assert {name for name, both in looks.items() if both} == {"lever_symmetric"}
    plain, other = kinds["lever_ema"], kinds["lever_symmetric"]
    assert (str(other.form), repr(other.objective)) == (str(plain.form), repr(plain.objective))
    (alone,) = (names for _, names in side_by_side(STUDY) if "lever_symmetric" in names)
    assert alone == ["lever_symmetric"]
