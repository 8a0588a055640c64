"""Epistemic distillation: scipy's divergence of the two epistemic parts, for every family."""

import pytest
import torch
from scipy import special

import endd
from endd.distributions import DiagonalNormal, FullNormal, Members, ModuloShift
from endd.families import Categorical
from endd.objectives import EpistemicDistillation, MixtureDistillation
from tests.laws.table import FAMILIES

M, B = 5, 3
F64 = torch.float64


@pytest.fixture
def numbers():
    generator = torch.Generator().manual_seed(0)
    return lambda *shape: torch.randn(*shape, generator=generator, dtype=F64)


def student(family, loc, scale):
    normal = DiagonalNormal(loc, scale.expand_as(loc))
    return ModuloShift(normal) if family.shift_invariant else FullNormal(loc, torch.diag_embed(normal.scale))


@pytest.mark.parametrize("name", FAMILIES)
def test_it_is_the_divergence_of_the_two_parts(name, numbers):
    family = FAMILIES[name]
    v = student(family, numbers(B, family.num_parameters), torch.tensor(0.4, dtype=F64))
    teacher = Members(numbers(M, B, family.num_parameters))
    parts = (endd.decompose(family, each).epistemic for each in (teacher, v))
    expected = torch.as_tensor(special.kl_div(*(part.numpy() for part in parts)))
    torch.testing.assert_close(EpistemicDistillation(family)(v, teacher), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", FAMILIES)
def test_it_is_nothing_where_the_parts_agree(name, numbers):
    members = Members(numbers(M, B, FAMILIES[name].num_parameters))
    loss = EpistemicDistillation(FAMILIES[name])(members, members)
    torch.testing.assert_close(loss, torch.zeros(B, dtype=F64))


def test_for_several_teachers_of_one_input_it_is_least_at_their_mean(numbers):
    family, teachers = Categorical(4), Members(numbers(M, 50, 4))
    raw = torch.zeros((), dtype=F64, requires_grad=True)
    optimiser = torch.optim.LBFGS([raw], max_iter=50, line_search_fn="strong_wolfe")

    def v():
        return student(family, torch.zeros(50, 4, dtype=F64), raw.exp())

    def closure():
        optimiser.zero_grad()
        loss = EpistemicDistillation(family)(v(), teachers).mean()
        loss.backward()
        return loss

    optimiser.step(closure)
    said = endd.decompose(family, v()).epistemic
    assert said.detach()[0] == pytest.approx(endd.decompose(family, teachers).epistemic.mean(), rel=1e-4)


def test_one_number_sums_up_the_members(numbers):
    family, teacher = Categorical(4), Members(numbers(M, B, 4))
    v = student(family, numbers(B, 4), torch.tensor(0.4, dtype=F64))
    objective = EpistemicDistillation(family)
    assert objective.summary(v, teacher).shape == (B,)
    torch.testing.assert_close(objective.on_summary(v, objective.summary(v, teacher)), objective(v, teacher))


@pytest.mark.parametrize("spread", [0.0, 1e-12, 1e3])
def test_members_that_agree_or_quarrel_leave_gradients_finite(spread, numbers):
    family = Categorical(4)
    loc = numbers(B, 4).float().requires_grad_()
    teacher = Members((1 + spread * numbers(M, B, 4)).float())
    objective = MixtureDistillation(family) + EpistemicDistillation(family)
    objective(student(family, loc, torch.tensor(1e-3)), teacher).sum().backward()
    assert loc.grad.isfinite().all()
