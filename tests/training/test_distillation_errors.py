"""What cannot be distilled is refused in one clear line."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import endd
from endd.nn import MLP
from endd.objectives import DirichletDistillation
from endd.training import distill, distill_many
from tests.training.distilling import FAMILY, SETTINGS, X, constants, same, student

Z = torch.randn(3, 40, 2)


@pytest.mark.parametrize(
    ("teacher", "inputs", "options", "error", "message"),
    [
        (Z[:, :39], X, {}, ValueError, "for all 40 inputs, but got 39 rows"),
        (torch.randn(3, 40, 4), X, {}, ValueError, "2 parameters in its last dimension"),
        (Z[:0], X, {}, ValueError, r"\(M, N, P\)"),
        (Z / 0, X, {}, ValueError, "finite member outputs"),
        (nn.Linear(1, 2), X, {}, TypeError, r"endd.Ensemble or member outputs as teacher, but got Linear"),
        (nn.Linear(1, 2), lambda count, generator: X, {}, TypeError, "endd.Ensemble or member outputs"),
        (Z, lambda count, generator: X, {}, TypeError, "inputs that are drawn"),
        (Z, X, {"perturb": lambda x, generator: x}, TypeError, "drawn or perturbed"),
        (Z[:, :0], X[:0], {}, ValueError, "at least one"),
        (Z, X / 0, {}, ValueError, "finite inputs"),
        (Z, X.repeat(1, 2), {}, ValueError, r"network 0 accepts, but got \(2,\) a row"),
        (Z, X, {"labelled": (X, X)}, ValueError, r"Use y.squeeze\(-1\)"),
        (Z, X, {"labelled": (X.repeat(1, 2), X[:, 0])}, ValueError, r"network 0 accepts, but got \(2,\) a row"),
        (Z, X, {"form": "probs"}, ValueError, "`form` to be one of"),
        (Z, X, {"hold_out": "rows"}, ValueError, "`hold_out` to be one of 'none', 'inputs', 'members'"),
        (Z[:1], X, {"hold_out": "members"}, ValueError, "more than 1 members to hold some out, but got 1"),
        (Z, X, {"patience": 3}, ValueError, "`patience`.*hold_out"),
        (Z, X, {"lr": 0.1}, ValueError, "but got 'lr'"),
        (Z, X, {"progress": "loud"}, ValueError, "`progress` to be one of"),
        (Z, X, {"objective": DirichletDistillation()}, TypeError, "v=endd.Dirichlet"),
        (Z, X, {"run": "RUN", "ema": 2.0}, ValueError, "`ema` between 0 and 1"),
    ],
)
def test_bad_input_is_one_clear_line_and_leaves_no_folder(
    teacher: Any, inputs: Any, options: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    learner = student()
    with pytest.raises(error, match=message) as caught:
        distill(teacher, learner, inputs, **{"progress": "none", **options, "run": tmp_path / "run"})
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()
    same(learner, student(), rtol=0, atol=0)


def test_members_with_different_outputs_are_refused() -> None:
    teacher = endd.Ensemble([MLP(1, [4], 2), MLP(1, [4], 3)], FAMILY)
    with pytest.raises(ValueError, match="outputs of one shape from all members"):
        distill(teacher, student(), X, **SETTINGS)


def test_a_student_with_the_wrong_number_of_outputs_is_named() -> None:
    with pytest.raises(ValueError, match=r"Expected 5 outputs.*gives 4"):
        distill(Z, student(4), X, **SETTINGS)


def test_teachers_with_different_numbers_of_members_cannot_teach_side_by_side() -> None:
    with pytest.raises(ValueError, match=r"same number of members, but got \[2, 3\]"):
        distill_many([Z, Z[:2]], [student(), student()], [X, X], **SETTINGS)


@pytest.mark.parametrize("hold_out", ["none", "members"])
def test_weights_that_cannot_be_kept_are_refused(hold_out: str) -> None:
    teachers = [constants(0.0, 1.0, 2.0, weights=torch.tensor(w)) for w in ([0.5, 0.25, 0.25], [0.2, 0.4, 0.4])]
    with pytest.raises(ValueError, match="the same weights for the members of all teachers"):
        distill_many(teachers, [student(), student()], [X, X], hold_out=hold_out, **SETTINGS)
