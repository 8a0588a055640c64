"""Closed forms of the Dirichlet, also where float32 alone would lose them."""

import pytest
import torch

import endd
from endd.integrals import integrals_of


@pytest.mark.parametrize("strength", [1e-4, 1.0, 1e3, 1e8])
def test_known_values_for_the_symmetric_dirichlet(strength: float) -> None:
    K = 10
    rules = integrals_of(endd.families.Categorical(K), endd.Dirichlet(torch.full((K,), strength)))
    a0 = K * strength
    assert float(rules.expected_pairwise_kl().value) == pytest.approx((K - 1) / a0, rel=1e-5)
    assert float(rules.variance_of_mean().value.sum()) == pytest.approx((1 - 1 / K) / (a0 + 1), rel=1e-5)
    total = rules.expected_entropy().value + rules.information().value
    assert float(total) == pytest.approx(2.302585, rel=1e-5)
    if strength > 100:
        assert float(rules.information().value) == pytest.approx((K - 1) / (2 * a0), rel=1e-2)
