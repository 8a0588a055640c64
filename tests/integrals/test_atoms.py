"""Sums over atoms against plain loops and against the entropy of the mixture."""

import pytest
import torch
from scipy import integrate, special, stats

import endd
from endd.families import Bernoulli, Categorical, Family, Gaussian, MultivariateGaussian, Poisson
from endd.integrals import integrals_of
from endd.uncertainty import MEASURES

F64 = torch.float64


def test_information_of_a_gaussian_mixture_is_its_entropy_less_the_mean_entropy() -> None:
    z = torch.tensor([[[-1.0, -1.0]], [[0.5, 0.3]], [[2.0, -3.0]]], dtype=F64)
    family, v = Gaussian(), endd.Members(z)
    moments = zip(family.mean(z)[:, 0].tolist(), family.variance(z)[:, 0].sqrt().tolist(), strict=True)
    q = [stats.norm(mean, std) for mean, std in moments]
    entropy = integrate.quad(lambda y: special.entr(sum(one.pdf(y) for one in q) / 3), -8, 10, limit=400)[0]
    truth = entropy - sum(one.entropy() for one in q) / 3
    rule = integrals_of(family, v).information()
    assert abs(float(rule.value) - truth) <= float(rule.error)
    assert abs(float(rule.value) - truth) < 2e-3


def test_information_of_labels_by_enumeration_and_by_points_agree() -> None:
    """Eight labels are enumerated; a ninth that is certain adds nothing and is drawn."""
    z = torch.randn(6, 4, 8, dtype=F64)
    exact = integrals_of(Bernoulli(8), endd.Members(z)).information()
    longer = torch.cat([z, torch.full((6, 4, 1), 60.0, dtype=F64)], -1)
    drawn = integrals_of(Bernoulli(9), endd.Members(longer)).information()
    assert exact.method == "exact"
    assert drawn.method == "qmc"
    assert bool(((exact.value - drawn.value).abs() <= drawn.error).all())


def test_components_that_share_their_mean_are_not_counted_too_often() -> None:
    """Two normals with sd 1 and 10 around 0: every grid with a point at 0 finds far too much information."""
    z = Gaussian().canonical(torch.tensor([[0.0, 1.0], [0.0, 100.0]], dtype=F64), "moments")
    found = float(integrals_of(Gaussian(), endd.Members(z)).information().value)
    assert found == pytest.approx(0.4333, abs=5e-3)


@pytest.mark.parametrize("family", [Gaussian(), Bernoulli(2), Poisson(), MultivariateGaussian(2), Categorical(3)])
def test_a_member_of_weight_zero_counts_for_nothing(family: Family) -> None:
    z = torch.randn(3, 4, family.num_parameters, dtype=F64)
    weighted, fewer = endd.Members(z, torch.tensor([0.5, 0.5, 0.0])), endd.Members(z[:2])
    for measure in MEASURES:
        left, right = endd.decompose(family, weighted, measure), endd.decompose(family, fewer, measure)
        torch.testing.assert_close(left.total, right.total)


def test_drawn_labels_carry_the_gradient_of_their_chances() -> None:
    z = torch.randn(4, 1, 9, dtype=F64, requires_grad=True)
    integrals_of(Bernoulli(9), endd.Members(z)).information().value.sum().backward()
    assert z.grad is not None
    step, direction = 1e-5, torch.randn_like(z)
    with torch.no_grad():
        ends = [_enumerated(z + sign * step * direction) for sign in (1, -1)]
    slope = float((ends[0] - ends[1]) / (2 * step))
    assert float((z.grad * direction).sum()) == pytest.approx(slope, abs=0.1 * float(z.grad.norm() * direction.norm()))


def _enumerated(z: torch.Tensor) -> torch.Tensor:
    """The information of label vectors by going through all of them."""
    D = z.shape[-1]
    labels = (torch.arange(2**D)[:, None] >> torch.arange(D) & 1).to(z)
    log_q = Bernoulli(D)(z).log_prob(labels[:, None, None]).squeeze(-1)
    log_mean = log_q.logsumexp(1, keepdim=True) - torch.tensor(float(len(z))).log()
    return (log_q.exp() * (log_q - log_mean)).sum() / len(z)


@pytest.mark.parametrize(("shift", "scale"), [(1e6, 1.0), (1.7e9, 1e4)])
def test_a_shift_leaves_the_spread_of_the_means_alone(shift: float, scale: float) -> None:
    z = torch.randn(10, 4, 2, generator=torch.Generator().manual_seed(0)) * torch.tensor([0.01, 1.0])
    family = Gaussian().in_units(shift, scale)
    single, double = (endd.decompose(family, endd.Members(atoms)).epistemic for atoms in (z, z.double()))
    torch.testing.assert_close(single.double(), double, rtol=1e-4, atol=0)
    torch.testing.assert_close(double, scale**2 * z[..., 0].double().var(0, unbiased=False), rtol=1e-9, atol=0)
    vectors = MultivariateGaussian(2).in_units((shift, -shift), scale)
    atoms = torch.randn(10, 4, 5, generator=torch.Generator().manual_seed(1)) * 0.01
    split = endd.decompose(vectors, endd.Members(atoms))
    torch.testing.assert_close(split.epistemic, scale**2 * atoms[..., :2].var(0, unbiased=False).sum(-1))
