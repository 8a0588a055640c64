"""Every rule is within its declared error, plus five standard errors, of plain Monte Carlo."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.distributions import Distribution

import endd
from endd.families import Family
from endd.integrals import Integral, integrals_of
from tests.laws.table import DENSITY_PAIRS, F64, FAMILIES, PAIRS, make_v

DRAWS, CHUNKS = 1_000_000, 20
BATCH = (2,)


def _draws(v: Distribution) -> "Callable[[], Tensor]":
    return lambda: v.sample(torch.Size([DRAWS // CHUNKS]))


def _mean_and_error(values: Callable[[], Tensor]) -> tuple[Tensor, Tensor]:
    """The average of 10^6 values and its standard error, chunk by chunk."""
    sums, squares = 0.0, 0.0
    for _ in range(CHUNKS):
        part = values()
        sums, squares = sums + part.sum(0), squares + part.square().sum(0)
    mean = sums / DRAWS
    return mean, ((squares / DRAWS - mean.square()).clamp(min=0) / DRAWS).sqrt()


def _assert_within(rule: Integral, mean: Tensor, error: Tensor, rounding: float = 1e-9) -> None:
    allowed = rule.error + 5 * error + rounding * (1 + mean.abs())
    gap = (rule.value - mean).abs()
    assert bool((gap <= allowed).all()), f"gap {gap}\nallowed {allowed}\nvalue {rule.value}"


@pytest.mark.parametrize(("family_name", "v_name"), DENSITY_PAIRS)
def test_expectations_agree_with_sampling(family_name: str, v_name: str) -> None:
    family, v = FAMILIES[family_name], make_v(v_name, family_name, BATCH)
    rules, draw = integrals_of(family, v), _draws(v)
    _assert_within(rules.expected_entropy(), *_mean_and_error(lambda: family.entropy(draw())))
    _assert_within(rules.expected_variance(), *_mean_and_error(lambda: family.variance(draw())))
    centre, _ = _mean_and_error(lambda: family.mean(draw()))
    _assert_within(rules.variance_of_mean(), *_mean_and_error(lambda: (family.mean(draw()) - centre).square()))


@pytest.mark.parametrize(("family_name", "v_name"), DENSITY_PAIRS)
def test_likelihoods_agree_with_sampling(family_name: str, v_name: str) -> None:
    family, v = FAMILIES[family_name], make_v(v_name, family_name, BATCH)
    rules, draw = integrals_of(family, v), _draws(v)
    y = rules.marginal().sample()
    _assert_within(rules.expected_log_prob(y), *_mean_and_error(lambda: family(draw()).log_prob(y)))
    density, error = _mean_and_error(lambda: family(draw()).log_prob(y).exp())
    # what a rule declares for the expected log-likelihood it keeps for the log of the marginal too
    log_marginal = replace(rules.expected_log_prob(y), value=rules.marginal().log_prob(y))
    _assert_within(log_marginal, density.log(), error / density)


@pytest.mark.parametrize(("family_name", "v_name"), DENSITY_PAIRS)
def test_divergences_agree_with_sampling(family_name: str, v_name: str) -> None:
    family, v = FAMILIES[family_name], make_v(v_name, family_name, BATCH)
    rules, draw = integrals_of(family, v), _draws(v)

    def pairwise() -> Tensor:
        q, other = family(draw()), family(draw())
        y = q.sample()
        return q.log_prob(y) - other.log_prob(y)

    _assert_within(rules.expected_pairwise_kl(), *_mean_and_error(pairwise))
    _assert_within(rules.information(), *_information(family, v))


def _information(family: Family, v: Distribution, outer: int = 2000, inner: int = 5000) -> tuple[Tensor, Tensor]:
    """E log q(y; z) / q~(y), the marginal itself an average over further draws of z."""
    q = family(v.sample(torch.Size([outer])))
    y = q.sample()
    others = family(v.sample(torch.Size([inner])).unsqueeze(1))
    parts = [torch.logsumexp(others.log_prob(part), 0) - math.log(inner) for part in y.split(100)]
    gain = q.log_prob(y) - torch.cat(parts)
    return gain.mean(0), gain.std(0) / math.sqrt(outer)


@pytest.mark.parametrize("scale", [0.05, 1.0, 5.0])
def test_gaussian_with_normal_keeps_its_promise_over_its_range(scale: float) -> None:
    family, v = FAMILIES["gaussian"], make_v("full_normal", "gaussian", (4,), scale)
    rules, draw = integrals_of(family, v), _draws(v)
    y = rules.marginal().sample()
    density, error = _mean_and_error(lambda: family(draw()).log_prob(y).exp())
    log_marginal = rules.marginal().log_prob(y)
    _assert_within(Integral(log_marginal, "quadrature", absolute=0.003), density.log(), error / density)
    _assert_within(rules.expected_variance(), *_mean_and_error(lambda: family.variance(draw())))
    _assert_within(rules.expected_entropy(), *_mean_and_error(lambda: family.entropy(draw())))


def test_sobol_points_give_the_information_of_ten_classes() -> None:
    family = endd.families.Categorical(10)
    v = endd.ModuloShift(endd.LowRankNormal.from_raw(torch.randn(100, 60, dtype=F64)))
    log_p = [v.sample(torch.Size([5000])).log_softmax(-1) for _ in range(10)]
    mean = torch.stack([part.exp().mean(0) for part in log_p]).mean(0)
    negative_entropy = torch.stack([(part.exp() * part).sum(-1).mean(0) for part in log_p]).mean(0)
    truth = negative_entropy - (mean * mean.log()).sum(-1)
    off = integrals_of(family, v).information().value / truth - 1
    assert float((off.abs() < 0.04).double().mean()) >= 0.95
    assert abs(float(off.mean())) < 0.005


@pytest.mark.parametrize(
    ("family", "distribution"), [(f, d) for f, d in PAIRS if FAMILIES[f].default_measure != "entropy"]
)
def test_the_expectation_is_the_mean_of_the_marginal(family: str, distribution: str) -> None:
    v = make_v(distribution, family, (3,))
    rules = integrals_of(FAMILIES[family], v)
    torch.testing.assert_close(rules.expectation(), rules.marginal().mean, rtol=1e-6, atol=1e-9)
