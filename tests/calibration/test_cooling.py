"""Distributions over logits at a temperature: z / T is distributed as they say."""

import pytest
import torch
from torch.distributions import Distribution, Normal

import endd
from endd.calibration import cooled
from endd.distributions import LiftedNormal, TemperedPoint

T = 2.5
DENSITIES = [
    endd.DiagonalNormal(torch.randn(3, 4), torch.rand(3, 4) + 0.5),
    endd.FullNormal(torch.randn(3, 4), torch.eye(4) + torch.rand(4, 4).tril(-1)),
    endd.LowRankNormal(torch.randn(3, 4), torch.randn(3, 4, 2), torch.rand(3, 4) + 0.5),
    LiftedNormal.from_raw(torch.randn(3, 12)),
]


@pytest.mark.parametrize("v", DENSITIES, ids=lambda v: type(v).__name__)
def test_the_density_is_that_of_the_quotient(v: Distribution) -> None:
    z = v.sample()
    # the density of z / T at z / T is T^P times that of z
    expected = v.log_prob(z) + 4 * torch.tensor(T).log()
    torch.testing.assert_close(cooled(v, T).log_prob(z / T), expected, rtol=1e-4, atol=1e-4)
    assert type(cooled(v, T)) is type(v)


def test_modulo_shift_and_atoms() -> None:
    v = endd.ModuloShift(DENSITIES[2])  # type: ignore[arg-type]
    torch.testing.assert_close(cooled(v, T).variance, v.variance / T**2)
    members = endd.Members(torch.randn(2, 3, 4), torch.tensor([0.25, 0.75]))
    torch.testing.assert_close(cooled(members, T).atoms, members.atoms / T)
    torch.testing.assert_close(cooled(members, T).weights, members.weights)
    point = TemperedPoint.from_raw(torch.randn(3, 5))
    torch.testing.assert_close(cooled(point, T).temperature, point.temperature * T)


def test_a_dirichlet_keeps_its_evidence_and_tempers_its_mean() -> None:
    concentration = torch.tensor([[0.5, 3.0, 20.0]])
    v = cooled(endd.Dirichlet(concentration), T)
    torch.testing.assert_close(v.concentration.sum(-1), concentration.sum(-1))
    torch.testing.assert_close(v.concentration / v.concentration.sum(), (concentration.log() / T).softmax(-1))
    torch.testing.assert_close(cooled(endd.Dirichlet(concentration), 1.0).concentration, concentration)


def test_others_are_refused() -> None:
    with pytest.raises(TypeError, match="a distribution over logits from endd"):
        cooled(Normal(0.0, 1.0), T)
