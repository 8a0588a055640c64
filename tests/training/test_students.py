"""Students of several kinds learn side by side what each of them would learn alone."""

from typing import Any

import pytest
import torch

import endd
from endd.distributions import DiagonalNormal, FullNormal, Point
from endd.models import num_outputs
from endd.nn import MLP
from endd.objectives import DistributionDistillation, MixtureDistillation, MomentDistillation, mean_and_spread
from endd.training import distill_many
from endd.training.students import kinds_of
from tests.training.distilling import FAMILY, SETTINGS, X, lines, same, student

FORMS = [FullNormal, DiagonalNormal, Point]
BOTH = mean_and_spread(FAMILY, 0.5, MomentDistillation(FAMILY))
OBJECTIVES = [BOTH, None, None]
# one batch an epoch, so that the order of rows does not matter
WHOLE = {**SETTINGS, "batch_size": len(X), "epochs": 5}


def learners(count: int = 2) -> list[endd.Student]:
    return [student(num_outputs(FAMILY, form), v=form) for form in FORMS for _ in range(count)]


@pytest.mark.parametrize("extra", [{}, {"labels": True}, {"hold_out": "members", "hold_out_share": 0.2}], ids=repr)
def test_each_learns_as_if_it_were_alone(extra: dict[str, Any]) -> None:
    teachers, y = [lines(), lines()], X[:, 0].sin()
    together, alone = learners(), learners()
    given = {name: value for name, value in extra.items() if name != "labels"}
    if "labels" in extra:
        given["labelled"] = [(X, y)] * 6
    objectives = [objective for objective in OBJECTIVES for _ in teachers]
    distill_many(teachers * 3, together, [X] * 6, objective=objectives, **given, **WHOLE)
    for kind, objective in enumerate(OBJECTIVES):
        some = slice(2 * kind, 2 * kind + 2)
        if "labelled" in given:
            given["labelled"] = [(X, y)] * 2
        distill_many(teachers, alone[some], [X] * 2, objective=objective, **given, **WHOLE)
    for a, b in zip(together, alone, strict=True):
        same(a, b, rtol=1e-4, atol=1e-5)


def test_a_summary_teaches_what_the_members_teach() -> None:
    class Whole(DistributionDistillation):
        def summary(self, v: Any, teacher: Any) -> None:
            return None

    z = lines()
    a, b = student(), student()
    distill_many([z], [a], [X], objective=Whole(), **SETTINGS)
    distill_many([z], [b], [X], **SETTINGS)
    same(a, b, rtol=1e-3, atol=1e-5)


def test_a_single_member_may_be_held_out() -> None:
    history = distill_many([lines(10)], [student()], [X], hold_out="members", hold_out_share=0.1, **SETTINGS)
    assert all("validation" in row for row in history.rows)


def test_a_teacher_that_comes_several_times_is_asked_once() -> None:
    asked = []

    class Counted(MLP):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            asked.append(len(x))
            return super().forward(x)

    teacher = endd.Ensemble([Counted(1, [3], 2) for _ in range(5)], FAMILY)
    distill_many([teacher] * 6, learners(), [X] * 6, **SETTINGS)
    assert sum(asked) == 5 * len(X)


def test_kinds_are_neighbours_with_the_same_v_and_objective() -> None:
    kinds = kinds_of(learners(), [BOTH] * 4 + [None] * 2, 10, None)
    assert [(kind.tracks, kind.form, kind.outputs) for kind in kinds] == [
        (slice(0, 2), FullNormal, 5),
        (slice(2, 4), DiagonalNormal, 4),
        (slice(4, 6), Point, 2),
    ]
    assert [kind.objective for kind in kinds] == [BOTH, BOTH, MixtureDistillation(FAMILY)]
    assert all(kind.summarised for kind in kinds)
    assert not kinds_of(learners(1)[:1], DistributionDistillation(), 3, None)[0].summarised


def test_students_in_units_of_their_own_are_of_one_kind() -> None:
    students = [endd.Student(MLP(1, [3], 2), FAMILY.in_units(place, 2.0), v=Point) for place in (0.0, 5.0)]
    assert len(kinds_of(students, None, 10, None)) == 1


def test_one_objective_a_student() -> None:
    with pytest.raises(ValueError, match="argument"):
        kinds_of(learners(), [None] * 3, 10, None)
