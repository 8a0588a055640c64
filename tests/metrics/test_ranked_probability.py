"""The continuous ranked probability score against its definition."""

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.stats import expon, norm
from torch.distributions import (
    AffineTransform,
    Categorical,
    Exponential,
    Independent,
    MixtureSameFamily,
    Normal,
    Poisson,
    TransformedDistribution,
    Uniform,
)

from endd.metrics import crps, crps_mixture, crps_normal
from endd.metrics import ranked_probability as module


def integral(cdf, y: float, low: float, high: float) -> float:
    """int (F(t) - 1[y <= t])^2 dt, the definition."""
    below = quad(lambda t: cdf(t) ** 2, low, y, limit=200, epsabs=1e-12)[0]
    above = quad(lambda t: (1 - cdf(t)) ** 2, y, high, limit=200, epsabs=1e-12)[0]
    return below + above


@pytest.mark.parametrize("y", [-3.0, 0.2, 1.0, 6.0])
def test_normal_against_the_integral(y):
    mean, std = 0.7, 1.3
    expected = integral(lambda t: norm.cdf(t, mean, std), y, -15.0, 20.0)
    got = crps_normal(*(torch.tensor([v], dtype=torch.float64) for v in (mean, std, y)))
    assert got.item() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("y", [-3.0, 0.2, 1.0, 6.0])
def test_mixture_against_the_integral(y):
    weights, means, stds = np.array([0.2, 0.5, 0.3]), np.array([-2.0, 0.5, 3.0]), np.array([0.4, 1.0, 0.2])
    expected = integral(lambda t: float(weights @ norm.cdf(t, means, stds)), y, -12.0, 15.0)
    got = crps_mixture(torch.tensor(weights), torch.tensor(means)[None], torch.tensor(stds)[None], torch.tensor([y]))
    assert got.item() == pytest.approx(expected, abs=1e-7)


def test_std_zero_is_the_absolute_error():
    mean, y = torch.tensor([0.0, 1.0, 2.0]), torch.tensor([0.0, -1.0, 2.5])
    assert crps_normal(mean, torch.zeros(3), y, reduction="none").tolist() == [0.0, 2.0, 0.5]


def test_std_tiny_is_close_to_the_absolute_error():
    mean, y = torch.zeros(4, dtype=torch.float64), torch.tensor([0.0, 1e-30, 1.0, 1e200], dtype=torch.float64)
    for std in (1e-300, 1e-45, 1e-20):
        got = crps_normal(mean, torch.full_like(mean, std), y, reduction="none")
        torch.testing.assert_close(got, y, rtol=1e-9, atol=1e-19)


def test_mixture_of_points_is_the_empirical_score():
    atoms, y = torch.tensor([[0.0, 1.0, 4.0]]), torch.tensor([2.0])
    expected = (2 + 1 + 2) / 3 - 2 * (1 + 4 + 3) / 9 / 2
    assert crps_mixture(torch.full((3,), 1 / 3), atoms, torch.zeros(1, 3), y).item() == pytest.approx(
        expected, rel=1e-6
    )


def test_mixture_of_one_or_of_equals_is_the_normal():
    m, s, y = torch.randn(3, 20, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    s = s.abs()
    expected = crps_normal(m, s, y, reduction="none")
    for C in (1, 4):
        parts = m[:, None].expand(-1, C), s[:, None].expand(-1, C)
        got = crps_mixture(torch.full((C,), 1 / C, dtype=torch.float64), *parts, y, reduction="none")
        torch.testing.assert_close(got, expected, rtol=1e-9, atol=1e-12)


def test_mixture_far_from_zero_in_float32():
    means = 1e6 + torch.tensor([[0.0, 1.0]])
    got = crps_mixture(torch.tensor([0.1, 0.9]), means, torch.full((1, 2), 1e-3), torch.tensor([1e6 + 1]))
    expected = 0.1 - 0.1 * 0.9  # two points: E|X - y| - E|X - X'| / 2
    assert got.item() == pytest.approx(expected, abs=2e-3)
    assert got.item() >= 0


def test_mixture_in_chunks(monkeypatch):
    generator = torch.Generator().manual_seed(0)
    w, m, s = torch.rand(3, 31, 6, generator=generator, dtype=torch.float64)
    y = torch.rand(31, generator=generator, dtype=torch.float64)
    whole = crps_mixture(w / w.sum(-1, keepdim=True), m, s, y, reduction="none")
    monkeypatch.setattr(module, "_CHUNK", 7 * 36)
    torch.testing.assert_close(crps_mixture(w / w.sum(-1, keepdim=True), m, s, y, reduction="none"), whole)


def test_never_negative():
    m = torch.zeros(1, 50)
    assert crps_mixture(torch.full((50,), 0.02), m, torch.full((1, 50), 1e-12), torch.zeros(1)).item() >= 0


@pytest.mark.parametrize("shape", [(3,), (5, 3)])
def test_distribution_chooses_the_closed_form(shape):
    generator = torch.Generator().manual_seed(1)
    m, s = torch.rand(2, 5, 3, generator=generator)
    w, y = torch.rand(shape, generator=generator), torch.rand(5, generator=generator)
    w = w / w.sum(-1, keepdim=True)
    torch.testing.assert_close(crps(MixtureSameFamily(Categorical(w), Normal(m, s)), y), crps_mixture(w, m, s, y))
    torch.testing.assert_close(crps(Normal(m[:, 0], s[:, 0]), y), crps_normal(m[:, 0], s[:, 0], y))


@pytest.mark.parametrize("y", [0.05, 0.7, 4.0, 12.0])
def test_other_distributions_by_quantiles(y):
    expected = integral(lambda t: expon.cdf(t, scale=0.5), y, 0.0, 40.0)
    got = crps(Exponential(torch.tensor([2.0], dtype=torch.float64)), torch.tensor([y], dtype=torch.float64))
    assert got.item() == pytest.approx(expected, abs=2e-5)


def test_quantiles_agree_with_the_closed_form():
    y = torch.linspace(-3, 3, 7)
    base = Normal(torch.zeros(7), torch.ones(7))
    shifted = TransformedDistribution(base, [AffineTransform(0.0, 1.0)])
    torch.testing.assert_close(crps(shifted, y, "none"), crps(base, y, "none"), rtol=1e-5, atol=1e-5)


def test_quantiles_in_chunks(monkeypatch):
    d, y = Uniform(torch.zeros(3), torch.ones(3)), torch.tensor([0.1, 0.5, 2.0])
    whole = crps(d, y, "none")
    monkeypatch.setattr(module, "_CHUNK", 30)
    torch.testing.assert_close(crps(d, y, "none"), whole)
    assert whole[1].item() == pytest.approx(1 / 12, abs=1e-5)


def test_gradients_are_finite():
    std = torch.tensor([0.0, 1.0], requires_grad=True)
    crps_normal(torch.zeros(2), std, torch.ones(2)).backward()
    assert torch.isfinite(std.grad).all()


def test_messages():
    one = torch.ones(1)
    with pytest.raises(ValueError, match="deviations from 0, but got -1"):
        crps_normal(one, -one, one)
    with pytest.raises(ValueError, match="Expected finite standard deviations"):
        crps_normal(one, one * torch.inf, one)
    with pytest.raises(ValueError, match=r"components last"):
        crps_mixture(one, torch.ones(1, 2), torch.ones(1, 2), one)
    with pytest.raises(ValueError, match="sum to 1"):
        crps_mixture(torch.ones(2), torch.ones(1, 2), torch.ones(1, 2), one)
    with pytest.raises(TypeError, match="with icdf, but got Poisson"):
        crps(Poisson(one), one)
    with pytest.raises(TypeError, match="over a scalar y"):
        crps(Independent(Normal(torch.zeros(1, 2), 1.0), 1), one)
    with pytest.raises(TypeError, match="over a scalar y"):
        crps(one, one)
    with pytest.raises(ValueError, match=r"shape \(1,\), but got \(1, 1\)"):
        crps(Normal(one, one), one[:, None])
