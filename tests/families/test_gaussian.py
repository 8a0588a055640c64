"""y ~ N(mean, variance), against scipy.stats.norm."""

import numpy as np
import pytest
import torch
from scipy import stats

from endd.families import Gaussian

GENERATOR = torch.Generator().manual_seed(0)
Z = torch.randn(5, 7, 2, generator=GENERATOR, dtype=torch.float64)
Y = torch.randn(7, generator=GENERATOR, dtype=torch.float64)
FAMILIES = [Gaussian(), Gaussian(min_variance=0.5), Gaussian(shift=-3.0, scale=12.5)]


def as_scipy(family, z):
    mean, raw = z.numpy()[..., 0], z.numpy()[..., 1]
    std = np.sqrt(np.logaddexp(0, raw) + family.min_variance)
    return stats.norm(family.shift + family.scale * mean, family.scale * std)


@pytest.mark.parametrize("family", FAMILIES)
def test_density_cdf_and_quantile_as_scipy(family):
    q, expected = family(Z), as_scipy(family, Z)
    np.testing.assert_allclose(q.log_prob(Y), expected.logpdf(Y), rtol=1e-10)
    np.testing.assert_allclose(q.cdf(Y), expected.cdf(Y), rtol=1e-8)
    np.testing.assert_allclose(q.icdf(torch.tensor(0.1)), expected.ppf(0.1), rtol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_moments_and_entropy_as_scipy(family):
    expected = as_scipy(family, Z)
    np.testing.assert_allclose(family.mean(Z), expected.mean(), rtol=1e-10)
    np.testing.assert_allclose(family.variance(Z), expected.var(), rtol=1e-10)
    np.testing.assert_allclose(family.entropy(Z), expected.entropy(), rtol=1e-10)


@pytest.mark.parametrize("raw", [-1e4, -50.0, 1e4])
def test_extreme_raw_variances_stay_above_the_floor(raw):
    variance = Gaussian()(torch.tensor([0.0, raw])).variance
    assert variance.item() == pytest.approx(max(raw, 0) + 1e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_pairwise_kl_is_the_double_loop(family, weights, loop_kl):
    torch.testing.assert_close(family.pairwise_kl(Z, weights), loop_kl(family, Z, weights))


def test_pairwise_kl_of_equal_members_is_zero(weights):
    assert Gaussian().pairwise_kl(Z[:1].expand(5, -1, -1), weights).abs().max() < 1e-25


@pytest.mark.parametrize("family", FAMILIES)
def test_nodes_carry_the_moments_of_the_mixture(family, weights):
    y, node_weights, method = family.nodes(Z, weights)
    mean = torch.einsum("m,mb->b", weights, family.mean(Z))
    second = torch.einsum("m,mb->b", weights, family.variance(Z) + family.mean(Z).square())
    assert method == "quadrature"
    torch.testing.assert_close(node_weights.sum(0), torch.ones(1, dtype=torch.float64))
    torch.testing.assert_close((node_weights * y).sum(0), mean, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close((node_weights * y.square()).sum(0), second, rtol=1e-4, atol=0)


@pytest.mark.parametrize("family", FAMILIES)
def test_canonical_from_moments_and_back(family):
    moments = torch.stack([family.mean(Z), family.variance(Z)], -1)
    torch.testing.assert_close(family.canonical(moments, "moments"), Z)


def test_canonical_takes_a_variance_below_the_floor_to_the_floor():
    z = Gaussian(min_variance=0.1).canonical(torch.tensor([[0.0, 0.01], [0.0, 0.1]]), "moments")
    assert z.isfinite().all()
    torch.testing.assert_close(Gaussian(min_variance=0.1).variance(z), torch.full((2,), 0.1))


def test_canonical_parameters_are_z_itself():
    assert Gaussian().canonical(Z) is Z


def test_canonical_refuses_variances_that_are_not_positive():
    with pytest.raises(ValueError, match=r"positive variances in outputs\[\.\.\., 1\]"):
        Gaussian().canonical(torch.zeros(3, 2), "moments")


def test_canonical_refuses_an_unknown_form():
    with pytest.raises(ValueError, match="`form` to be one of 'parameters', 'moments', but got 'logits'"):
        Gaussian().canonical(Z, "logits")


@pytest.mark.parametrize("options", [{"min_variance": 0.0}, {"scale": -1.0}, {"scale": float("nan")}])
def test_construction_refuses_numbers_that_are_not_positive(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"Expected `{name}` to be a finite number"):
        Gaussian(**options)


def test_a_column_of_targets_raises():
    with pytest.raises(ValueError, match=r"Expected `y` of shape \(7,\), but got \(7, 1\)\. Use y\.squeeze\(-1\)\."):
        Gaussian().as_target(Y[:, None], torch.Size([7]), torch.float64)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_integer_targets_take_the_precision_asked_for(dtype):
    assert Gaussian().as_target(torch.arange(7), torch.Size([7]), dtype).dtype == dtype


@pytest.mark.parametrize(
    ("z", "error", "message"),
    [
        (torch.zeros(4, 3), ValueError, r"2 parameters in its last dimension .* shape \(4, 3\)\. Give .* 2 outputs"),
        (torch.zeros(4, 2, dtype=torch.int64), TypeError, r"floating point tensor, but got a int64 .* z\.float\(\)"),
        ([[0.0, 1.0]], TypeError, r"`z` to be a tensor, but got .* \(list\)\. Use torch\.as_tensor\(z\)"),
    ],
)
def test_wrong_parameters_are_explained(z, error, message):
    with pytest.raises(error, match=message):
        Gaussian()(z)


def test_in_units_leaves_z_and_moves_y():
    family = Gaussian()
    other = family.in_units(5.0, 2.0)
    torch.testing.assert_close(other.mean(Z), 5 + 2 * family.mean(Z))
    torch.testing.assert_close(other.variance(Z), 4 * family.variance(Z))
    torch.testing.assert_close(other(Z).log_prob(5 + 2 * Y), family(Z).log_prob(Y) - np.log(2))
    torch.testing.assert_close(other.entropy(Z), family.entropy(Z) + np.log(2))
    assert (family, other) == (Gaussian(), Gaussian(shift=5.0, scale=2.0))
