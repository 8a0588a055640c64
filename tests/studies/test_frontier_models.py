"""Which models the frontier consists of."""

from dataclasses import replace

import torch

from endd.studies.frontier_config import Config
from endd.studies.frontier_levers import LEVERS
from endd.studies.frontier_models import units, whole


def names(config: Config) -> list[list[str]]:
    return [list(unit.kinds) for unit in units(config)]


def test_all_models_narrow_ones_first() -> None:
    assert names(Config()) == [
        ["single_1", "ensemble_1", "ensemble_2", "ensemble_3", "ensemble_5", "ensemble_10"],
        ["student_1", "hydra"],
        ["single_1.5"],
        ["student_1.5"],
        ["single_2"],
        ["student_2"],
        ["single_4"],
        ["student_4"],
    ]
    assert whole(Config()) == "ensemble_10"


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


def test_every_lever_is_a_unit_of_its_own() -> None:
    found = {next(iter(unit.kinds)): unit for unit in units(Config(groups=("levers",)))}
    assert list(found) == list(LEVERS)
    assert found["lever_long"].study.student.epochs == 3 * Config().epochs
    assert len({unit.shelf for unit in found.values()}) == len(LEVERS)
