"""Students of several kinds learn side by side what each of them would learn alone."""

import copy
from typing import Any

import pytest
import torch

import endd
from endd.distributions import DiagonalNormal, Dirichlet, FullNormal, ModuloShift, Point
from endd.families import Categorical
from endd.models import num_outputs
from endd.nn import MLP, ResNet
from endd.objectives import DistributionDistillation, MixtureDistillation, MomentDistillation, mean_and_spread
from endd.training import distill_many
from endd.training.students import kinds_of
from tests.training.distilling import FAMILY, SETTINGS, X, lines, same, student

FORMS = [FullNormal, DiagonalNormal, Point]
BOTH = mean_and_spread(FAMILY, 0.5, MomentDistillation(FAMILY))
OBJECTIVES = [BOTH, None, None]
# one batch an epoch, so that the order of rows does not matter
WHOLE = {**SETTINGS, "batch_size": len(X), "epochs": 5}


class Whole(DistributionDistillation):
    """Learns from the members themselves."""

    def summary(self, v: Any, teacher: Any) -> None:
        return None


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


ALL_LOGITS, PAPERS = Categorical(4), Categorical(4, reference=3)
CLASSIFIERS = [(ALL_LOGITS, Dirichlet), (ALL_LOGITS, ModuloShift.of(DiagonalNormal)), (PAPERS, DiagonalNormal)]


def classifiers() -> list[endd.Student]:
    torch.manual_seed(5)
    return [endd.Student(MLP(1, [6], num_outputs(family, form)), family, form) for family, form in CLASSIFIERS]


def logits(members: int = 10) -> torch.Tensor:
    """Outputs (M, N, 4) of members."""
    return torch.randn(members, 1, 4) + X * torch.randn(members, 1, 4)


def test_students_over_fewer_logits_learn_side_by_side_with_those_over_all() -> None:
    z, together, alone = logits(), classifiers(), classifiers()
    distill_many([z] * 3, together, [X] * 3, **WHOLE)
    for one, form in zip(alone, ("parameters", "parameters", "logits"), strict=True):
        distill_many([z], [one], [X], form=form, **WHOLE)
    for a, b in zip(together, alone, strict=True):
        same(a, b, rtol=1e-4, atol=1e-5)


def test_they_learn_differences_to_the_reference_class() -> None:
    z, (*_, one) = logits(), classifiers()
    (*_, other) = classifiers()
    distill_many([z] * 3, [*classifiers()[:2], one], [X] * 3, **WHOLE)
    distill_many([z[..., :3] - z[..., 3:]], [other], [X], **WHOLE)
    same(one, other, rtol=1e-4, atol=1e-5)


def test_residual_networks_over_fewer_logits_learn_side_by_side_too() -> None:
    images, z = torch.randint(0, 256, (8, 3, 32, 32), dtype=torch.uint8), torch.randn(3, 8, 4)
    kinds = CLASSIFIERS[1:]
    together = [endd.Student(ResNet(8, num_outputs(family, form), 2), family, form) for family, form in kinds]
    alone = copy.deepcopy(together)
    few = {**WHOLE, "epochs": 2, "batch_size": 8}
    distill_many([z] * 2, together, [images] * 2, **few)
    for one, form in zip(alone, ("parameters", "logits"), strict=True):
        distill_many([z], [one], [images], form=form, **few)
    for a, b in zip(together, alone, strict=True):
        same(a, b, rtol=1e-3, atol=1e-4)


def test_digests_are_differences_where_a_kind_has_fewer_logits() -> None:
    whole, fewer = kinds_of(classifiers()[1:], Whole(), 10, None)
    z = logits().movedim(0, 1)  # (N, M, 4)
    assert torch.equal(whole.digest(z), z)
    torch.testing.assert_close(fewer.digest(z), z[..., :3] - z[..., 3:])
    torch.testing.assert_close(fewer.digest(z + 7), fewer.digest(z))  # a shift of all logits says nothing


def test_a_summary_teaches_what_the_members_teach() -> None:
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


@pytest.mark.parametrize(
    "change", [lambda losses: losses.mean(), lambda losses: losses.unsqueeze(-1), lambda losses: 1.0]
)
def test_an_objective_gives_a_loss_for_each_example(change: Any) -> None:
    class Wrong(Whole):
        def __call__(self, v: Any, teacher: Any, y: Any = None) -> Any:
            return change(super().__call__(v, teacher, y))

    with pytest.raises(ValueError, match="Expected of Wrong a loss for each example, a tensor"):
        distill_many(
            [lines()], [student(num_outputs(FAMILY, FullNormal), v=FullNormal)], [X], objective=Wrong(), **WHOLE
        )
