"""What tells a run's data and networks from others in a few numbers."""

from pathlib import Path

import pytest
import torch

import endd
from endd.families import Categorical
from endd.nn import MLP
from endd.training import distill, fit_ensemble
from endd.training.outlines import outline, shapes

FAMILY = Categorical(3)
X, Y = torch.randn(40, 3), torch.arange(40) % 3
ONCE = {"epochs": 2, "progress": "none", "resume": True}


def ensemble() -> endd.Ensemble:
    return endd.Ensemble([MLP(3, [4], 3) for _ in range(3)], FAMILY)


def student(width: int = 4) -> endd.Student:
    return endd.Student(MLP(3, [width], endd.num_outputs(FAMILY)), FAMILY)


def test_rounding_on_another_machine_changes_nothing() -> None:
    x = torch.randn(1000, 5)
    assert outline((x, Y)) == outline((x * (1 + 1e-7), Y))
    for other in (x + 0.1, x * 1.01, x[:999], x.flip(0)):
        assert outline((other, Y)) != outline((x, Y))
    assert outline({"none": torch.zeros(0, 2), "number": torch.tensor(3)}) == "(0, 2), () 3"


def test_shapes_of_networks() -> None:
    assert shapes([MLP(3, [4], 2), MLP(3, [4], 2), MLP(3, [], 2)]) == "2 x 12+4+8+2, 1 x 6+2"


def test_a_run_does_not_go_on_with_another_teacher_or_other_inputs(tmp_path: Path) -> None:
    teacher = ensemble()
    distill(teacher, student(), X, run=tmp_path, **ONCE)
    distill(teacher, student(), X, run=tmp_path, **ONCE)  # over already
    for other, inputs in ((ensemble(), X), (teacher, X * 9 + 5)):
        with pytest.raises(ValueError, match="but data was"):
            distill(other, student(), inputs, run=tmp_path, **ONCE)
    with pytest.raises(ValueError, match="but networks was"):
        distill(teacher, student(5), X, run=tmp_path, **ONCE)


def test_members_do_not_go_on_with_other_labels(tmp_path: Path) -> None:
    fit_ensemble(ensemble(), (X, Y), run=tmp_path, **ONCE)
    with pytest.raises(ValueError, match="but data was"):
        fit_ensemble(ensemble(), (X, 2 - Y.clamp(max=1)), run=tmp_path, **ONCE)
