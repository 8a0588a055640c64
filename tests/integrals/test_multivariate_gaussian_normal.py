"""The vector Gaussian with a normal v: one dimension is the Gaussian, and wide means make no comb."""

import pytest
import torch

import endd
from endd.families import Gaussian, MultivariateGaussian
from endd.integrals import integrals_of

F64 = torch.float64


def test_independent_entries_add_up() -> None:
    """Two entries of fixed noise: variances and information are sums of those of one entry each."""
    raw = float(torch.tensor(0.5).expm1().log())
    loc = torch.tensor([0.3, -1.0, raw, raw, 0.0], dtype=F64)
    scale = torch.tensor([1.0, 2.0, 1e-9, 1e-9, 1e-9], dtype=F64)
    rules = integrals_of(MultivariateGaussian(2), endd.DiagonalNormal(loc, scale))
    total = scale[:2].square() + 0.501**2
    torch.testing.assert_close(rules.information().value, (total / 0.501**2).log().sum() / 2)
    torch.testing.assert_close(rules.variance_of_mean().value, scale[:2].square())
    density = torch.distributions.Normal(loc[:2], total.sqrt()).log_prob(loc[:2]).sum()
    torch.testing.assert_close(rules.marginal().log_prob(loc[:2]), density)


@pytest.mark.parametrize("mean_scale", [0.1, 1.0, 3.0])
def test_the_marginal_is_smooth_however_far_the_means_spread(mean_scale: float) -> None:
    raw = float(torch.tensor(0.1).expm1().log())
    loc = torch.tensor([0.0, 0.0, raw, raw, 0.0], dtype=F64)
    scale = torch.tensor([mean_scale, mean_scale, 0.1, 0.1, 0.02], dtype=F64)
    family, v = MultivariateGaussian(2), endd.DiagonalNormal(loc, scale)
    rules, q = integrals_of(family, v), family(v.sample(torch.Size([4000])))
    y = q.sample()
    gain = q.log_prob(y) - rules.marginal().log_prob(y)
    error = float(gain.std()) / 4000**0.5
    assert float(gain.mean()) == pytest.approx(float(rules.information().value), abs=5 * error + 0.02)


def test_one_entry_is_the_gaussian() -> None:
    """MultivariateGaussian(1) squares its scale, so only the mean is compared where the noise is fixed."""
    raw = float(torch.tensor(0.5).expm1().log())
    v = endd.DiagonalNormal(torch.tensor([0.0, raw], dtype=F64), torch.tensor([1.0, 1e-9], dtype=F64))
    vector = integrals_of(MultivariateGaussian(1), v)
    z = Gaussian().canonical(torch.tensor([0.0, 0.501**2], dtype=F64), "moments")
    scalar = integrals_of(Gaussian(), endd.DiagonalNormal(z, torch.tensor([1.0, 1e-9], dtype=F64)))
    for name in ("information", "expected_entropy", "expected_pairwise_kl"):
        assert float(getattr(vector, name)().value) == pytest.approx(float(getattr(scalar, name)().value), rel=1e-4)
