"""The log-normal rate."""

import torch

import endd
from endd.families import Poisson
from endd.integrals import integrals_of


def test_moments_are_those_of_the_log_normal() -> None:
    v = endd.DiagonalNormal(torch.tensor([[0.3], [2.0]]).double(), torch.tensor([[0.5], [1.5]]).double())
    rate = torch.distributions.LogNormal(v.loc[:, 0], v.scale[:, 0])
    rules = integrals_of(Poisson(), v)
    torch.testing.assert_close(rules.expected_variance().value, rate.mean)
    torch.testing.assert_close(rules.variance_of_mean().value, rate.variance)
    assert rules.expected_variance().method == "exact"
