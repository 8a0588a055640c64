"""The fallback serves what nobody foresaw, repeatably, and leaves the global generator alone."""

import pytest
import torch
from torch import Tensor
from torch.distributions import Distribution, Laplace, constraints

import endd
from endd.families import Categorical, Family, Gaussian
from endd.integrals import expected_entropy, expected_variance
from endd.uncertainty import MEASURES


class LaplaceOverZ(Distribution):
    """A user's own v, of which nothing is known but how to draw from it."""

    arg_constraints: dict[str, constraints.Constraint] = {}

    def __init__(self, loc: Tensor) -> None:
        self.loc = loc
        super().__init__(loc.shape[:-1], loc.shape[-1:])

    @property
    def mean(self) -> Tensor:
        return self.loc

    def sample(self, sample_shape: torch.Size = torch.Size()) -> Tensor:  # type: ignore[override]  # noqa: B008
        return Laplace(self.loc, 0.3).sample(sample_shape)


class StudentT(Family):
    """A user's own family in six lines."""

    num_parameters = 3

    def standard(self, z: Tensor) -> Distribution:
        df, loc, raw = z.unbind(-1)
        scale = torch.nn.functional.softplus(raw) + 1e-3
        return torch.distributions.StudentT(3 + torch.nn.functional.softplus(df), loc, scale)


def test_a_users_v_is_sampled_and_says_so() -> None:
    parts = endd.decompose(Categorical(3), LaplaceOverZ(torch.randn(4, 3)))
    assert parts.method == "sampled"
    assert bool((parts.epistemic > 0).all())


def test_a_users_family_works_everywhere() -> None:
    family = StudentT().in_units(10.0, 2.0)
    for v in (endd.Members(torch.randn(5, 4, 3)), endd.FullNormal.from_raw(torch.randn(4, 9))):
        for measure in MEASURES:
            parts = endd.decompose(family, v, measure)
            assert bool((parts.epistemic >= 0).all())
            assert bool(parts.total.isfinite().all())
        marginal = endd.marginal(family, v)
        assert marginal.log_prob(marginal.sample()).shape == (4,)
        assert bool(((marginal.mean - 10).abs() < 20).all())


def test_results_repeat_and_the_global_generator_stays() -> None:
    v = LaplaceOverZ(torch.randn(4, 3))
    state = torch.random.get_rng_state()
    first = [expected_entropy(StudentT(), v).value, endd.decompose(StudentT(), v, "entropy").epistemic]
    assert torch.equal(state, torch.random.get_rng_state())
    torch.rand(3)
    second = [expected_entropy(StudentT(), v).value, endd.decompose(StudentT(), v, "entropy").epistemic]
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_one_parameter_takes_a_line_and_more_take_sobol_points() -> None:
    one = endd.LowRankNormal.from_raw(torch.randn(4, 4), rank=2)
    assert expected_variance(endd.families.Bernoulli(), one).method == "quadrature"
    many = endd.DiagonalNormal.from_raw(torch.randn(4, 6))
    assert expected_variance(Categorical(3), many).method == "qmc"
    assert expected_variance(Gaussian(), endd.Members(torch.randn(3, 4, 2))).method == "exact"


def test_points_made_in_inference_mode_serve_training() -> None:
    with torch.inference_mode():
        endd.decompose(Categorical(7), endd.DiagonalNormal.from_raw(torch.randn(2, 14)))
    raw = torch.randn(2, 14, requires_grad=True)
    endd.decompose(Categorical(7), endd.DiagonalNormal.from_raw(raw)).total.sum().backward()
    assert raw.grad is not None


@pytest.mark.parametrize("base", [endd.DiagonalNormal, endd.FullNormal, endd.LowRankNormal.of(rank=2)])
def test_two_logits_are_integrated_along_their_difference(base: endd.distributions.Form) -> None:
    raw = torch.randn(5, base.raw_size(2), dtype=torch.float64)
    v = endd.ModuloShift.of(base).from_raw(raw)
    found = endd.decompose(Categorical(2), v, "entropy")
    assert found.method == "quadrature"
    probs = torch.softmax(v.sample([400_000]), -1)
    mean = probs.mean(0)
    total, aleatoric = torch.special.entr(mean).sum(-1), torch.special.entr(probs).sum(-1).mean(0)
    torch.testing.assert_close(found.total, total, rtol=1e-2, atol=1e-3)
    torch.testing.assert_close(found.aleatoric, aleatoric, rtol=1e-2, atol=1e-3)


def test_two_logits_are_those_of_a_coin_whose_logit_is_their_difference() -> None:
    loc, scale = torch.randn(6, 2, dtype=torch.float64), torch.rand(6, 2, dtype=torch.float64) + 0.1
    two = endd.decompose(Categorical(2), endd.ModuloShift(endd.DiagonalNormal(loc, scale)), "entropy")
    difference, width = loc[:, 1:] - loc[:, :1], scale.square().sum(-1, keepdim=True).sqrt()
    one = endd.decompose(endd.families.Bernoulli(), endd.DiagonalNormal(difference, width), "entropy")
    torch.testing.assert_close(two.epistemic, one.epistemic)
    torch.testing.assert_close(two.aleatoric, one.aleatoric)


@pytest.mark.parametrize("width", [0.1, 1.0, 5.0, 20.0])
def test_a_line_keeps_its_declared_error_however_wide_a_logit_is(width: float) -> None:
    loc = torch.linspace(-2 * width, 2 * width, 21, dtype=torch.float64).unsqueeze(-1)
    scale = torch.full_like(loc, width)
    nodes = torch.linspace(-9, 9, 20_001, dtype=torch.float64)
    probs = torch.sigmoid(loc + scale * nodes)
    weights = torch.softmax(-nodes.square() / 2, 0)
    entropy = ((torch.special.entr(probs) + torch.special.entr(1 - probs)) * weights).sum(-1)
    found = expected_entropy(endd.families.Bernoulli(), endd.DiagonalNormal(loc, scale))
    assert bool(((found.value - entropy).abs() <= found.error).all())
