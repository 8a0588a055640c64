"""Counts with a predicted log rate, against scipy.stats.poisson."""

import math

import numpy as np
import pytest
import torch
from scipy import stats

from endd.families import Poisson

FAMILY = Poisson()
Z = torch.randn(5, 7, 1, generator=torch.Generator().manual_seed(0), dtype=torch.float64) + 1


def log_rates(*rates, dtype=torch.float64):
    return torch.tensor(rates, dtype=torch.float64).log().to(dtype).unsqueeze(-1)


@pytest.mark.parametrize("rate", [1e-3, 0.5, 7.0, 300.0])
def test_log_prob_and_cdf_as_scipy(rate):
    y = torch.tensor([0, 1, 5, 290, 310], dtype=torch.float64)
    q = FAMILY(log_rates(rate).expand(5, 1))
    np.testing.assert_allclose(q.log_prob(y), stats.poisson.logpmf(y, rate), rtol=1e-8)
    np.testing.assert_allclose(q.cdf(y), stats.poisson.cdf(y, rate), rtol=1e-8)


def test_cdf_is_a_staircase_from_zero():
    q = FAMILY(log_rates(3.0).expand(4, 1))
    expected = stats.poisson.cdf([-1, 0, 2, 2], 3.0)
    np.testing.assert_allclose(q.cdf(torch.tensor([-0.5, 0.9, 2.0, 2.7], dtype=torch.float64)), expected, rtol=1e-10)


@pytest.mark.parametrize("count", [1e6, 1_001_000.0])
def test_a_million_counts_in_float32(count):
    z = log_rates(1e6, dtype=torch.float32)
    expected = stats.poisson.logpmf(count, math.exp(z.item()))
    assert FAMILY(z).log_prob(torch.tensor([count])).item() == pytest.approx(expected, rel=1e-6)
    assert FAMILY(z).cdf(torch.tensor([count])).item() == pytest.approx(
        stats.poisson.cdf(count, math.exp(z.item())), rel=1e-4
    )


def test_a_rate_that_underflows_keeps_its_logarithm():
    q = FAMILY(torch.tensor([[-200.0]]))
    assert q.mean.item() == 0
    assert q.log_prob(torch.tensor([3.0])).item() == pytest.approx(-600 - math.log(6))
    assert q.log_prob(torch.tensor([0.0])).item() == 0
    assert q.entropy().item() == 0


@pytest.mark.parametrize("rate", [1e-3, 1e-2, 0.1, 1.0, 10.0, 39.9, 40.1, 100.0, 1e3])
def test_entropy_as_scipy(rate):
    expected = float(stats.poisson.entropy(rate))
    assert FAMILY.entropy(log_rates(rate)).item() == pytest.approx(expected, abs=1e-7)
    assert FAMILY.entropy(log_rates(rate, dtype=torch.float32)).item() == pytest.approx(expected, rel=1e-5)


def test_entropy_of_a_large_rate_is_the_sum_over_counts():
    log_p = stats.poisson.logpmf(np.arange(9000, 11000), 1e4)  # scipy's own entropy stops early and is 0.0025 off
    assert FAMILY.entropy(log_rates(1e4)).item() == pytest.approx(-(np.exp(log_p) * log_p).sum(), abs=1e-9)


def test_entropy_has_finite_gradients_everywhere():
    z = torch.tensor([[-200.0], [0.0], [3.7], [80.0]], requires_grad=True)
    FAMILY.entropy(z).sum().backward()
    assert z.grad.isfinite().all()
    assert z.grad[-1].item() == pytest.approx(0.5)


def test_moments_are_the_rate():
    torch.testing.assert_close(FAMILY.mean(Z), Z[..., 0].exp())
    torch.testing.assert_close(FAMILY.variance(Z), Z[..., 0].exp())


def test_expand_keeps_the_logarithm():
    q = FAMILY(torch.full((1, 1), -200.0)).expand([3])
    assert q.batch_shape == (3,)
    torch.testing.assert_close(q.log_prob(torch.ones(3)), torch.full((3,), -200.0))


def test_pairwise_kl_is_the_double_loop(weights, loop_kl):
    torch.testing.assert_close(FAMILY.pairwise_kl(Z, weights), loop_kl(FAMILY, Z, weights))


@pytest.mark.parametrize("offset", [-6.0, 0.0, 3.0, 8.0])
def test_nodes_carry_the_moments_of_the_mixture(offset, weights):
    z = Z + offset
    y, chances, method = FAMILY.nodes(z, weights)
    rate = z[..., 0].exp()
    assert method == "quadrature"
    assert torch.equal(y, y.round())
    assert y.min() >= 0
    torch.testing.assert_close(chances.sum(0), torch.ones(7, dtype=torch.float64))
    torch.testing.assert_close((chances * y).sum(0), torch.einsum("m,mb->b", weights, rate), rtol=1e-5, atol=0)
    second = torch.einsum("m,mb->b", weights, rate + rate.square())
    torch.testing.assert_close((chances * y.square()).sum(0), second, rtol=1e-5, atol=0)


def test_canonical_from_rates_and_back():
    torch.testing.assert_close(FAMILY.canonical(Z.exp(), "rates"), Z)
    assert FAMILY.canonical(Z) is Z


def test_canonical_of_a_zero_rate_is_finite():
    z = FAMILY.canonical(torch.zeros(1, 1), "rates")
    assert z.isfinite().all()
    assert FAMILY(z).log_prob(torch.zeros(1)).item() == pytest.approx(0)


def test_canonical_refuses_negative_rates():
    with pytest.raises(ValueError, match=r"at least 0, but got negative ones\. Pass log rates as 'parameters'"):
        FAMILY.canonical(torch.tensor([[-1.0]]), "rates")


def test_rates_that_overflow_are_refused():
    with pytest.raises(ValueError, match=r"at most 88\.7 in float32, but got 100\. .* form='rates'"):
        FAMILY(torch.tensor([[0.0], [100.0]]))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int64])
def test_integer_counts_become_floating_point(dtype):
    y = FAMILY.as_target(torch.tensor([0, 3], dtype=dtype), torch.Size([2]), torch.float32)
    assert (y.tolist(), y.dtype) == ([0.0, 3.0], torch.float32)


def test_large_integer_counts_keep_every_digit_in_float64():
    y = FAMILY.as_target(torch.tensor([20_000_001]), torch.Size([1]), torch.float64)
    assert y.tolist() == [20_000_001]


@pytest.mark.parametrize("count", [-1.0, 0.5, float("nan")])
def test_targets_must_be_counts(count):
    with pytest.raises(ValueError, match=r"counts 0, 1, 2, \.\.\., but got a float32 tensor .* with other values"):
        FAMILY.as_target(torch.tensor([0.0, count]), torch.Size([2]), torch.float32)


def test_a_column_of_targets_raises():
    with pytest.raises(ValueError, match=r"Use y\.squeeze\(-1\)"):
        FAMILY.as_target(torch.zeros(7, 1), torch.Size([7]), torch.float32)


def test_units_are_refused():
    with pytest.raises(ValueError, match="no shift or scale"):
        FAMILY.in_units(1.0, 1.0)
