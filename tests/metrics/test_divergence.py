"""Divergences: never negative, exact where they say so."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from torch.distributions import (
    Bernoulli,
    Categorical,
    Distribution,
    Exponential,
    Gamma,
    Laplace,
    MixtureSameFamily,
    MultivariateNormal,
    Normal,
    Poisson,
    StudentT,
    constraints,
    kl_divergence,
)

from endd.metrics import kl_categorical, kl_marginal

INF = torch.inf


def log_probs(seed: int, scale: float = 3.0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (scale * torch.randn(50, 6, generator=generator, dtype=dtype)).log_softmax(-1)


def mixture(means, stds, weights) -> MixtureSameFamily:
    parts = [torch.tensor([v], dtype=torch.float64) for v in (weights, means, stds)]
    return MixtureSameFamily(Categorical(parts[0]), Normal(*parts[1:]))


def integral(p: Distribution, q: Distribution, low: float, high: float, breaks: list[float]) -> float:
    def gain(y):
        at = torch.tensor([y], dtype=torch.float64)
        log_p = p.log_prob(at).item()
        return np.exp(log_p) * (log_p - q.log_prob(at).item())

    return quad(gain, low, high, points=breaks, limit=300, epsabs=1e-10)[0]


@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0, 30.0])
def test_categorical_against_the_definition(scale):
    log_p, log_q = log_probs(0, scale), log_probs(1, scale)
    expected = (log_p.exp() * (log_p - log_q)).sum(-1)
    torch.testing.assert_close(kl_categorical(log_p, log_q), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("step", [1e-3, 1e-6, 1e-9, 1e-14])
def test_categorical_of_close_neighbours_keeps_its_digits(step):
    log_p = torch.tensor([[0.5, 0.5]], dtype=torch.float64).log()
    log_q = torch.tensor([[step, -step]], dtype=torch.float64).log_softmax(-1)
    # KL of (1/2, 1/2) to softmax(h, -h) is log cosh h = h^2 / 2 - ...; log_q itself is rounded to 1e-16.
    assert kl_categorical(log_p, log_q).item() == pytest.approx(step**2 / 2, rel=1e-6 + 4e-16 / step)


@given(st.integers(0, 10**6), st.floats(0, 100), st.floats(0, 1))
def test_categorical_is_never_negative(seed, scale, mix):
    log_p = log_probs(seed, scale, torch.float32)
    log_q = (log_p + mix * log_probs(seed + 1, scale, torch.float32)).log_softmax(-1)
    value = kl_categorical(log_p, log_q)
    assert bool((value >= 0).all())
    assert bool((kl_categorical(log_p, log_p) == 0).all())


def test_categorical_with_zeros():
    certain, even = torch.tensor([[0.0, -INF]]), torch.tensor([[0.5, 0.5]]).log()
    assert kl_categorical(certain, certain).item() == 0
    assert kl_categorical(certain, even).item() == pytest.approx(np.log(2))
    assert kl_categorical(even, certain).item() == INF
    assert kl_categorical(torch.tensor([[0.0, -800.0]]), certain).item() == INF
    assert kl_categorical(certain, torch.tensor([[-INF, 0.0]])).item() == INF


def test_categorical_messages():
    log_p = log_probs(0)
    with pytest.raises(ValueError, match=r"of one shape \(B, K\), but got \(50, 6\) and \(49, 6\)"):
        kl_categorical(log_p, log_p[:49])
    with pytest.raises(ValueError, match=r"`log_q\.exp\(\)` to be probabilities"):
        kl_categorical(log_p, log_p + 1)
    with pytest.raises(ValueError, match="`log_p` without NaN"):
        kl_categorical(log_p * torch.nan, log_p)
    with pytest.raises(TypeError, match="to be a tensor"):
        kl_categorical(log_p.tolist(), log_p)


def test_marginal_of_classes_is_exact():
    p, q = (Categorical(logits=log_probs(seed)) for seed in (0, 1))
    torch.testing.assert_close(kl_marginal(p, q), kl_divergence(p, q))
    p, q = (Bernoulli(logits=log_probs(seed)[:, 0]) for seed in (0, 1))
    torch.testing.assert_close(kl_marginal(p, q), kl_divergence(p, q))


def test_marginal_of_two_normals_is_exact_in_float32():
    p, q = Normal(torch.tensor([0.0]), torch.tensor([1.0])), Normal(torch.tensor([1e-5]), torch.tensor([1.0]))
    assert kl_marginal(p, q).item() == pytest.approx(5e-11, rel=1e-3)
    assert kl_marginal(p, p).item() == 0


def test_marginal_of_two_multivariate_normals():
    eye = torch.eye(2).expand(3, 2, 2)
    p, q = MultivariateNormal(torch.zeros(3, 2), eye), MultivariateNormal(torch.ones(3, 2), eye)
    torch.testing.assert_close(kl_marginal(p, q), torch.ones(3, dtype=torch.float64))


def test_marginal_of_normal_mixtures_against_the_integral():
    p, q = (
        mixture([-1.0, 2.0], [0.5, 0.1], [0.3, 0.7]),
        mixture([-0.5, 1.0, 2.2], [1.0, 2.0, 0.3], [0.2, 0.3, 0.5]),
    )
    assert kl_marginal(p, q).item() == pytest.approx(integral(p, q, -6, 8, [-1, 1.9, 2, 2.1]), abs=1e-6)
    assert kl_marginal(p, p).item() == 0


def test_marginal_of_a_mixture_to_a_normal_and_back():
    p, q = mixture([-1.0, 2.0], [0.5, 0.4], [0.3, 0.7]), Normal(torch.tensor([1.1]), torch.tensor([1.5]))
    assert kl_marginal(p, q).item() == pytest.approx(integral(p, q, -8, 8, [-1, 2]), abs=1e-6)
    assert kl_marginal(q, p).item() == pytest.approx(integral(q, p, -12, 14, [-1, 2]), abs=1e-5)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (Exponential(torch.tensor([0.5, 2.0])), Exponential(torch.tensor([1.0, 1.0]))),
        (Laplace(torch.zeros(2), torch.ones(2)), Laplace(torch.ones(2), 2 * torch.ones(2))),
    ],
)
def test_marginal_by_quantiles_against_the_closed_form(p, q):
    torch.testing.assert_close(kl_marginal(p, q), kl_divergence(p, q).double(), rtol=2e-3, atol=1e-4)


def test_marginal_of_counts_is_a_sum():
    p, q = Poisson(torch.tensor([0.0, 0.3, 4.0, 90.0])), Poisson(torch.tensor([0.2, 0.3, 7.0, 80.0]))
    a, b = p.rate.double(), q.rate.double()
    torch.testing.assert_close(kl_marginal(p, q), torch.xlogy(a, a / b) - a + b, rtol=1e-5, atol=1e-7)


def test_marginal_of_mixtures_of_counts():
    rates = torch.tensor([[1.0, 9.0]], dtype=torch.float64)
    p = MixtureSameFamily(Categorical(torch.tensor([[0.5, 0.5]])), Poisson(rates))
    q = Poisson(torch.tensor([5.0], dtype=torch.float64))
    y = torch.arange(100.0, dtype=torch.float64)[:, None]
    expected = (p.log_prob(y).exp() * (p.log_prob(y) - q.log_prob(y))).sum()
    assert kl_marginal(p, q).item() == pytest.approx(expected.item(), abs=1e-10)


def test_marginal_by_draws_is_repeatable_and_leaves_the_generator_alone():
    p, q = Gamma(torch.tensor([2.0, 3.0]), torch.ones(2)), Gamma(torch.tensor([3.0, 3.0]), torch.ones(2))
    state = torch.get_rng_state()
    first, second = kl_marginal(p, q), kl_marginal(p, q)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(first, second)
    torch.testing.assert_close(first, kl_divergence(p, q).double(), rtol=0, atol=0.05)
    assert first[1].item() == 0


def test_marginal_of_vectors_by_draws():
    p = MultivariateNormal(torch.zeros(1, 2), torch.eye(2))
    heavy = MixtureSameFamily(
        Categorical(torch.ones(1, 1)),
        MultivariateNormal(torch.ones(1, 1, 2), torch.eye(2).expand(1, 1, 2, 2)),
    )
    assert kl_marginal(p, heavy).item() == pytest.approx(1.0, abs=0.15)


class Silent(Normal):
    """A normal that neither tells its support nor its type."""

    @property
    def support(self) -> constraints.Constraint:
        raise NotImplementedError


def test_marginal_of_a_predictive_without_support():
    p, q = Silent(torch.zeros(1), torch.ones(1), validate_args=False), StudentT(torch.tensor([5.0]))
    assert kl_marginal(p, q).item() > 0


def test_marginal_messages():
    p = Normal(torch.zeros(3), 1.0)
    with pytest.raises(ValueError, match=r"same rows, but got batch \(3,\) event \(\) and batch \(2,\)"):
        kl_marginal(p, Normal(torch.zeros(2), 1.0))
    with pytest.raises(TypeError, match=r"`q` to be a torch Distribution of batch \(B,\)"):
        kl_marginal(p, torch.zeros(3))
    with pytest.raises(TypeError, match=r"`p` to be a torch Distribution of batch \(B,\)"):
        kl_marginal(Normal(0.0, 1.0), Normal(0.0, 1.0))
    with pytest.raises(TypeError, match="one kind of y, but got Normal and Poisson"):
        kl_marginal(p, Poisson(torch.ones(3)))
