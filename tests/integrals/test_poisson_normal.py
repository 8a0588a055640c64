"""The log-normal rate."""

import pytest
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


@pytest.mark.parametrize(("mean", "deviation"), [(5.0, 0.3), (7.0, 1.0), (9.0, 0.5), (10.0, 1.0)])
def test_the_marginal_is_smooth_at_high_rates(mean: float, deviation: float) -> None:
    loc, scale = torch.tensor([[mean]]).double(), torch.tensor([[deviation]]).double()
    marginal = endd.marginal(Poisson(), endd.DiagonalNormal(loc, scale))
    t = torch.linspace(-9, 9, 100_001).double()
    y = torch.linspace(mean - 2 * deviation, mean + 2 * deviation, 40).double().exp().round()
    log_rate, log_w = mean + deviation * t, -t.square() / 2
    log_q = y[:, None] * log_rate - log_rate.exp() - torch.lgamma(y[:, None] + 1)
    expected = torch.logsumexp(log_q + log_w.log_softmax(0), 1)
    torch.testing.assert_close(marginal.log_prob(y[:, None])[:, 0], expected, rtol=0, atol=2e-3)


def test_counts_that_no_grid_resolves_are_refused_where_their_density_is_asked_for() -> None:
    prediction = endd.Prediction(Poisson(), endd.DiagonalNormal(torch.tensor([[12.0]]), torch.tensor([[4.0]])))
    assert bool(prediction.total.isfinite().all())
    with pytest.raises(ValueError, match=r"mean 12 and standard deviation 4\. Describe counts as large"):
        prediction.quantile(0.5)
