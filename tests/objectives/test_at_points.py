"""Objectives at few points of v."""

import pytest
import torch

import endd
from endd.families import Categorical
from endd.objectives import Annealing, AtPoints, DirichletDistillation, EpistemicDistillation, MixtureDistillation

FAMILY = Categorical(4)
TERMS = 0.5 * MixtureDistillation(FAMILY) + 3 * EpistemicDistillation(FAMILY)


def student(classes: int = 4, seed: int = 0) -> endd.ModuloShift:
    generator = torch.Generator().manual_seed(seed)
    return endd.ModuloShift(endd.DiagonalNormal.from_raw(torch.randn(16, 2 * classes, generator=generator)))


def members(classes: int = 4) -> endd.Members:
    return endd.Members(torch.randn(6, 16, classes, generator=torch.Generator().manual_seed(1)))


def test_as_many_points_as_a_prediction_has_change_nothing() -> None:
    v, teacher = student(), members()
    torch.testing.assert_close(AtPoints(TERMS, 256)(v, teacher), TERMS(v, teacher))


def test_fewer_points_come_near() -> None:
    v, teacher = student(), members()
    exact = TERMS(v, teacher)
    off = [float((AtPoints(TERMS, points)(v, teacher) - exact).abs().mean()) for points in (64, 8)]
    assert off[0] < 0.02
    assert off[0] < off[1]


@pytest.mark.parametrize("v", [members(), endd.Point(torch.randn(16, 4)), endd.Dirichlet(torch.rand(16, 4) + 0.5)])
def test_any_other_v_stays_as_it_is(v: torch.distributions.Distribution) -> None:
    terms = MixtureDistillation(FAMILY)
    torch.testing.assert_close(AtPoints(terms, 4)(v, members()), terms(v, members()))


@pytest.mark.parametrize(("points", "off"), [(2, 3e-3), (32, 1e-5)])
def test_a_line_is_exact_with_few_points(points: int, off: float) -> None:
    terms, teacher = EpistemicDistillation(Categorical(2)), members(2)
    found, exact = (objective(student(2), teacher) for objective in (AtPoints(terms, points), terms))
    torch.testing.assert_close(found, exact, rtol=off, atol=off)


def test_gradients_reach_the_student() -> None:
    raw = torch.randn(16, 8, requires_grad=True)
    AtPoints(TERMS)(endd.ModuloShift(endd.DiagonalNormal.from_raw(raw)), members()).sum().backward()
    assert raw.grad is not None
    assert bool((raw.grad != 0).any(0).all())


def test_schedules_move_within() -> None:
    moving = AtPoints(DirichletDistillation(annealing=Annealing(hold=1)))
    assert moving.at(0) != moving.at(3)
    assert AtPoints(TERMS, 32).at(3) == AtPoints(TERMS, 32)


def test_one_point_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2, but got 1"):
        AtPoints(TERMS, 1)
