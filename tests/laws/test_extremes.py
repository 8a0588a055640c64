"""Extreme numbers: float32 agrees with float64 on the same inputs, or raises; nothing is silently NaN."""

import math
import re
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.distributions import Distribution

import endd
from endd.families import Family
from endd.uncertainty import MEASURES

F32, F64 = torch.float32, torch.float64
SEEDS = st.integers(0, 2**31)
# the same examples every time; 1500 of each were searched once, and what they found is mended
EXAMPLES = settings(max_examples=60, deadline=None, derandomize=True)


def _uniform(seed: int, *shape: int) -> Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


def _logits(seed: int, *shape: int) -> Tensor:
    """Signed numbers from 1e-4 to 1e4 in size."""
    size = 10 ** (8 * _uniform(seed, *shape) - 4)
    return torch.where(_uniform(seed + 1, *shape) < 0.5, -size, size)


def _log_uniform(seed: int, low: float, high: float, *shape: int) -> Tensor:
    return (math.log(low) + (math.log(high) - math.log(low)) * _uniform(seed, *shape)).exp()


def _agree(compute: Callable[[torch.dtype], Tensor]) -> None:
    """float32 within 1e-3 of float64: relative, absolute below 1."""
    try:
        wide = compute(F64)
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error)[:40])):
            compute(F32)
        return
    assert not bool(wide.isnan().any()), wide
    narrow = compute(F32).to(F64)
    close = torch.isclose(narrow, wide, rtol=1e-3, atol=1e-3)
    too_large = wide.abs() > torch.finfo(F32).max
    assert bool((close | (too_large & narrow.isinf())).all()), (narrow, wide)


def _checked(family: Family, make: Callable[[torch.dtype], Distribution]) -> None:
    for measure in MEASURES:
        _agree(lambda dtype, m=measure: endd.decompose(family, make(dtype), m).aleatoric)  # type: ignore[misc]
        _agree(lambda dtype, m=measure: endd.decompose(family, make(dtype), m).epistemic)  # type: ignore[misc]
        assert bool((endd.decompose(family, make(F32), measure).epistemic >= 0).all())


CLASSES = [endd.families.Categorical(5), endd.families.Categorical(6, reference=2), endd.families.Bernoulli(5)]


@EXAMPLES
@given(seed=SEEDS, family=st.sampled_from([*CLASSES, endd.families.Bernoulli(), endd.families.Gaussian()]))
def test_members_with_huge_parameters(seed: int, family: Family) -> None:
    z = _logits(seed, 4, 3, family.num_parameters)
    _checked(family, lambda dtype: endd.Members(z.to(dtype)))
    if not family.event_shape and not isinstance(family, endd.families.Gaussian):
        for y in torch.zeros(3).long(), torch.ones(3).long():
            _agree(lambda dtype, y=y: endd.marginal(family, endd.Members(z.to(dtype))).log_prob(y))  # type: ignore[misc]


@EXAMPLES
@given(seed=SEEDS)
def test_gaussian_members_and_far_targets(seed: int) -> None:
    family, z, y = endd.families.Gaussian(), _logits(seed, 4, 3, 2), _logits(seed + 9, 3)
    _agree(lambda dtype: endd.marginal(family, endd.Members(z.to(dtype))).log_prob(y.to(dtype)))


@EXAMPLES
@given(seed=SEEDS)
def test_poisson_members(seed: int) -> None:
    family = endd.families.Poisson()
    z = 160 * _uniform(seed, 4, 3, 1) - 80
    make = lambda dtype: endd.Members(z.to(dtype))  # noqa: E731
    _agree(lambda dtype: endd.decompose(family, make(dtype), "entropy").aleatoric)
    y = (10 ** (6 * _uniform(seed + 1, 3))).round()
    _agree(lambda dtype: endd.marginal(family, make(dtype)).log_prob(y.to(dtype)))


def test_a_rate_that_overflows_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Expected log rates of at most 88\.7 in float32, but got 1e"):
        endd.decompose(endd.families.Poisson(), endd.Point(torch.full((2, 1), 1e4)))


def test_infinite_moments_are_infinite_not_nan() -> None:
    v = endd.DiagonalNormal(torch.tensor([[0.0], [-1e4]]), torch.tensor([[1e6], [1e3]]))
    from endd.integrals import integrals_of

    rules = integrals_of(endd.families.Poisson(), v)
    for value in (rules.expected_variance().value, rules.variance_of_mean().value):
        assert value[0] == math.inf
        assert not bool(value.isnan().any())


def _normal(kind: str, seed: int, dtype: torch.dtype, P: int) -> Distribution:
    loc = _logits(seed, 3, P).to(dtype)
    scale = _log_uniform(seed + 2, 1e-12, 1e6, 3, P).to(dtype)
    if kind == "diagonal":
        return endd.DiagonalNormal(loc, scale)
    if kind == "full":
        lower = torch.tril(_uniform(seed + 3, 3, P, P), -1).to(dtype)
        return endd.FullNormal(loc, scale.unsqueeze(-1) * lower + torch.diag_embed(scale))
    return endd.LowRankNormal(loc, _logits(seed + 4, 3, P, 2).to(dtype) / 1e3, scale.square())


@EXAMPLES
@given(seed=SEEDS, kind=st.sampled_from(["diagonal", "full", "low_rank"]), modulo=st.booleans())
def test_densities_of_normals(seed: int, kind: str, modulo: bool) -> None:
    def log_prob(dtype: torch.dtype) -> Tensor:
        v = _normal(kind, seed, F32, 4)
        v = v if dtype == F32 else _widened(v)
        v = endd.ModuloShift(v) if modulo else v  # type: ignore[arg-type]
        return v.log_prob(_logits(seed + 7, 3, 4).to(dtype))

    _agree(log_prob)


def _widened(v: Distribution) -> Distribution:
    if isinstance(v, endd.DiagonalNormal):
        return endd.DiagonalNormal(v.loc.double(), v.scale.double())
    if isinstance(v, endd.FullNormal):
        return endd.FullNormal(v.loc.double(), v.scale_tril.double())
    assert isinstance(v, endd.LowRankNormal)
    return endd.LowRankNormal(v.loc.double(), v.factor.double(), v.diagonal.double())


@EXAMPLES
@given(seed=SEEDS, kind=st.sampled_from(["diagonal", "full", "low_rank"]), family=st.sampled_from(CLASSES))
def test_classes_with_extreme_normals(seed: int, kind: str, family: Family) -> None:
    narrow = _normal(kind, seed, F32, family.num_parameters)
    _checked(family, lambda dtype: narrow if dtype == F32 else _widened(narrow))


@EXAMPLES
@given(seed=SEEDS, kind=st.sampled_from(["diagonal", "full", "low_rank"]))
def test_gaussian_with_extreme_normals(seed: int, kind: str) -> None:
    narrow = _normal(kind, seed, F32, 2)
    _checked(endd.families.Gaussian(), lambda dtype: narrow if dtype == F32 else _widened(narrow))


@EXAMPLES
@given(seed=SEEDS)
def test_dirichlets(seed: int) -> None:
    family = endd.families.Categorical(5)
    a = _log_uniform(seed, 1e-6, 1e8, 3, 5)
    _checked(family, lambda dtype: endd.Dirichlet(a.to(dtype)))
    z = _logits(seed + 1, 3, 5)
    _agree(lambda dtype: endd.Dirichlet(a.to(dtype)).log_prob(z.to(dtype)))
    draws = endd.Dirichlet(a).rsample(torch.Size([50]))
    assert bool(draws.isfinite().all())


@EXAMPLES
@given(seed=SEEDS)
def test_raw_outputs_of_any_size_give_finite_distributions(seed: int) -> None:
    for form in (endd.DiagonalNormal, endd.FullNormal, endd.LowRankNormal, endd.Dirichlet, endd.ModuloShift):
        # a triangular matrix with entries 1e4 above a diagonal of 1e-3 has an inverse of 1e21, whose square is too much
        largest = 1e2 if form is endd.FullNormal else 1e4
        raw = _logits(seed, 3, form.raw_size(4)).clamp(-largest, largest).requires_grad_()
        v = form.from_raw(raw)
        loss = v.log_prob(_logits(seed + 1, 10, 3, 4) / 1e3)
        assert bool(loss.isfinite().all())
        (gradient,) = torch.autograd.grad(loss.sum(), raw)
        assert bool(gradient.isfinite().all()), form
