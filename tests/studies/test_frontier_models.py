"""Which models the frontier consists of."""

from dataclasses import replace

import torch

from endd.studies.frontier_config import PRESETS, Config
from endd.studies.frontier_levers import LEVERS
from endd.studies.frontier_models import units, whole


def names(config: Config) -> list[list[str]]:
    return [list(unit.kinds) for unit in units(config)]


def test_all_models_narrow_ones_first() -> None:
    assert names(Config()) == [
        ["single_1", "ensemble_1", "ensemble_2", "ensemble_3", "ensemble_5", "ensemble_10"],
        ["student_1", "hydra"],
        ["dense_1"],
        ["single_1.5"],
        ["student_1.5"],
        ["single_2"],
        ["student_2"],
        ["single_4"],
        ["student_4"],
    ]
    assert whole(Config()) == "ensemble_10"


def test_where_students_start_from_a_member_they_have_its_network() -> None:
    first, second, *levers = names(PRESETS["warm"])
    assert (first[-1], second) == ("ensemble_10", ["student_1", "hydra"])
    assert {name for unit in units(PRESETS["warm"]) for name in unit.names()} >= {*PRESETS["warm"].levers}
    assert "dense_1" not in [name for unit in levers for name in unit]
    every = names(PRESETS["full"])
    assert every == [found for found in names(Config()) if found != ["dense_1"]]


def test_one_width_at_a_time() -> None:
    assert names(Config(groups=("singles", "students"), widths=(4.0,))) == [["single_4"], ["student_4"]]
    assert names(Config(groups=("singles",), widths=(1.0, 2.0))) == [["single_2"]]


def test_units_can_be_told_apart() -> None:
    found = list(units(Config()))
    assert len({*found}) == len(found)


def test_students_are_as_wide_as_they_are_called() -> None:
    config = replace(Config(), widths=(1.5,), groups=("students",))
    (unit,) = units(config)
    student = unit.kinds["student_1.5"].student(config.at(1.5))
    assert student.net.stem.weight.shape == torch.Size([24, 3, 3, 3])


def test_levers_of_the_loss_train_side_by_side_and_others_apart() -> None:
    _, first, *others = units(Config(groups=("levers",)))
    assert list(first.kinds) == ["lever_diagonal", "lever_no_mean", "lever_mean_0.9", "lever_no_epistemic"]
    found = [*first.kinds, *(name for unit in others for name in unit.kinds)]
    assert found == [lever for lever in LEVERS if lever != "lever_muon"]
    assert all(len(unit.kinds) == 1 for unit in others)
    assert len({unit.shelf for unit in (first, *others)}) == 1 + len(others)
    long = next(unit for unit in others if "lever_long" in unit.kinds)
    assert long.study.student.epochs == 2 * Config().epochs


def test_some_levers_are_the_same_as_among_all() -> None:
    _, first, last = units(Config(groups=("levers",), levers=("lever_mean_0.9", "lever_push")))
    assert (first.names(), last.names()) == ({"lever_mean_0.9"}, {"lever_push"})
    assert first.shelf == list(units(Config(groups=("levers",))))[1].shelf
    # its place among all, from which it has its first weights
    assert list(first.kinds).index("lever_mean_0.9") == 2


def test_levers_bring_the_student_that_they_are_compared_with() -> None:
    with_students = next(unit for unit in units(Config()) if "student_1" in unit.kinds)
    for config in (Config(groups=("levers",)), Config(groups=("levers", "students"), widths=(2.0,))):
        found = next(unit for unit in units(config) if "student_1" in unit.kinds)
        assert (found.names(), found.shelf) == ({"student_1"}, with_students.shelf)
        assert list(found.kinds) == list(with_students.kinds)  # from the same first weights
    both = [unit for unit in units(Config(groups=("students", "levers"))) if "student_1" in unit.kinds]
    assert [unit.names() for unit in both] == [{"student_1", "hydra"}]


def test_every_lever_of_the_loss_keeps_its_own() -> None:
    _, first, *_ = units(Config(groups=("levers",)))
    objectives = [repr(kind.objective) for kind in first.kinds.values()]
    assert objectives[0] != objectives[1] != objectives[2] != objectives[3]
    assert "+ 0 * EpistemicDistillation" in objectives[3]
