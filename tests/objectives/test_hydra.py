"""Hydra: head j learns member j, for every family."""

import math

import numpy as np
import pytest
import torch
from scipy import special, stats

import endd
from endd.distributions import Members, Point
from endd.families import Bernoulli, Categorical, Gaussian, MultivariateGaussian, Poisson
from endd.objectives import HydraDistillation, MixtureDistillation
from tests.laws.table import FAMILIES

M, B = 5, 3
F64 = torch.float64
WEIGHTS = torch.tensor([0.1, 0.3, 0.2, 0.25, 0.15], dtype=F64)


@pytest.fixture
def numbers():
    generator = torch.Generator().manual_seed(0)
    return lambda *shape: torch.randn(*shape, generator=generator, dtype=F64)


def weighted(losses):
    return torch.einsum("m,mb->b", WEIGHTS, losses)


@pytest.mark.parametrize("name", FAMILIES)
def test_it_is_the_mixture_objective_of_each_head_and_its_member(name, numbers):
    family = FAMILIES[name]
    z, h = numbers(M, B, family.num_parameters), numbers(M, B, family.num_parameters)
    alone = [MixtureDistillation(family)(Point(h[j]), Members(z[j : j + 1])) for j in range(M)]
    loss = HydraDistillation(family)(Members(h), Members(z, WEIGHTS))
    assert loss.shape == (B,)
    rough = {"rtol": 0.01, "atol": 0.01} if isinstance(family, MultivariateGaussian) else {}
    torch.testing.assert_close(loss, weighted(torch.stack(alone)), **rough)


@pytest.mark.parametrize("reference", [None, 1])
@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_classes_are_summed_exactly(reference, temperature, numbers):
    family = Categorical(4, reference=reference)
    z, h = numbers(M, B, family.num_parameters), numbers(M, B, family.num_parameters)
    expected = -(family.mean(z / temperature) * family.log_probs(h / temperature)).sum(-1)
    loss = HydraDistillation(family, temperature)(Members(h), Members(z, WEIGHTS))
    torch.testing.assert_close(loss, weighted(expected))


@pytest.mark.parametrize("family", [Gaussian(), Gaussian(shift=-3.0, scale=12.5)])
def test_gaussians_are_in_closed_form(family, numbers):
    z, h = numbers(M, B, 2), numbers(M, B, 2)
    variance, apart = family.variance(h), family.mean(z) - family.mean(h)
    expected = (math.log(2 * math.pi) + variance.log() + (family.variance(z) + apart**2) / variance) / 2
    torch.testing.assert_close(HydraDistillation(family)(Members(h), Members(z, WEIGHTS)), weighted(expected))


def test_coins_are_the_binary_cross_entropy(numbers):
    z, h = numbers(M, B, 1), numbers(M, B, 1)
    expected = torch.nn.functional.binary_cross_entropy_with_logits(h, z.sigmoid(), reduction="none").squeeze(-1)
    loss = HydraDistillation(Bernoulli())(Members(h), Members(z, WEIGHTS))
    torch.testing.assert_close(loss, weighted(expected))


def test_counts_are_summed(numbers):
    z, h = numbers(M, B, 1), numbers(M, B, 1)
    rate = z[..., 0].exp()
    y = np.arange(200)
    log_factorial = (stats.poisson.pmf(y, rate.numpy()[..., None]) * special.gammaln(y + 1)).sum(-1)
    expected = h[..., 0].exp() - rate * h[..., 0] + torch.as_tensor(log_factorial)
    loss = HydraDistillation(Poisson())(Members(h), Members(z, WEIGHTS))
    torch.testing.assert_close(loss, weighted(expected), rtol=1e-5, atol=1e-5)


def test_vectors_are_in_closed_form(numbers):
    family = MultivariateGaussian(2, shift=(1.0, -2.0), scale=(3.0, 0.5))
    z, h = numbers(M, B, 5), numbers(M, B, 5)
    apart, S = family.mean(z) - family.mean(h), family.covariance(h)
    second = family.covariance(z) + apart.unsqueeze(-1) * apart.unsqueeze(-2)
    trace = torch.linalg.solve(S, second).diagonal(dim1=-2, dim2=-1).sum(-1)
    expected = (2 * math.log(2 * math.pi) + torch.logdet(S) + trace) / 2
    torch.testing.assert_close(HydraDistillation(family)(Members(h), Members(z, WEIGHTS)), weighted(expected))


@pytest.mark.parametrize("name", FAMILIES)
def test_heads_that_are_the_members_are_best_and_others_in_any_other_order_are_worse(name, numbers):
    family, z = FAMILIES[name], numbers(M, B, FAMILIES[name].num_parameters)
    h = z.clone().requires_grad_()
    objective, teacher = HydraDistillation(family), Members(z, WEIGHTS)
    best = objective(Members(h), teacher)
    (gradient,) = torch.autograd.grad(best.sum(), h)
    assert float(gradient.abs().max()) < 0.01
    for order in ([1, 2, 3, 4, 0], [0, 2, 1, 3, 4]):
        assert bool((objective(Members(z[order]), teacher) > best).all())


@pytest.mark.parametrize("family", [Gaussian(), Categorical(3)], ids=["gaussian", "categorical"])
def test_a_student_with_heads_learns_its_members_and_splits_its_uncertainty(family):
    torch.manual_seed(0)
    x, P = torch.randn(200, 2), family.num_parameters
    teacher = endd.Ensemble([endd.nn.MLP(2, [4], P) for _ in range(3)], family)
    heads = endd.Members.of(size=3)
    student = endd.Student(endd.nn.MLP(2, [32], endd.num_outputs(family, heads)), family, heads)
    options = {"epochs": 100, "learning_rate": 0.01, "progress": "none", "device": "cpu"}
    endd.distill(teacher, student, x, **options)  # its default objective
    theirs, ours = teacher.predict(x), student.predict(x)
    assert ours.v.atoms.shape == (3, 200, P)
    if isinstance(family, Gaussian):
        assert float((ours.v.atoms - theirs.v.atoms).abs().mean()) < 0.05
    together = torch.corrcoef(torch.stack([ours.epistemic, theirs.epistemic]))[0, 1]
    assert float(together) > 0.9


def test_heads_and_members_must_be_of_one_number():
    with pytest.raises(ValueError, match=r"a head for each member, but got 2 heads and 5 members\. Use .*size=5\)"):
        HydraDistillation(Gaussian())(Members(torch.zeros(2, B, 2)), Members(torch.zeros(M, B, 2)))


def test_only_a_student_with_heads_will_do():
    with pytest.raises(TypeError, match=r"v=endd\.Members\.of\(size=M\), but got Point"):
        HydraDistillation(Gaussian())(Point(torch.zeros(B, 2)), Members(torch.zeros(M, B, 2)))
    with pytest.raises(ValueError, match="`temperature` to be a finite number above 0"):
        HydraDistillation(Categorical(3), temperature=0.0)
