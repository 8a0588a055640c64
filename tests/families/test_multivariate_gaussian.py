"""Vector regression, against scipy.stats.multivariate_normal."""

import numpy as np
import pytest
import torch
from scipy import stats

from endd.families import MultivariateGaussian

D = 3
GENERATOR = torch.Generator().manual_seed(0)
Z = torch.randn(5, 7, 9, generator=GENERATOR, dtype=torch.float64)
Y = torch.randn(7, D, generator=GENERATOR, dtype=torch.float64)
FAMILIES = [
    MultivariateGaussian(D),
    MultivariateGaussian(D, min_scale=0.3),
    MultivariateGaussian(D, shift=1.0, scale=4.0),
    MultivariateGaussian(D, shift=(1.0, -2.0, 0.5), scale=(10.0, 0.1, 2.0)),
]


def dense(family, z):
    """Mean and covariance of one z, entry by entry."""
    raw, L = z.numpy(), np.zeros((D, D))
    L[np.diag_indices(D)] = np.logaddexp(0, raw[D : 2 * D]) + family.min_scale
    L[1, 0], L[2, 0], L[2, 1] = raw[2 * D :]
    scale = np.diag(np.broadcast_to(family.scale, D))
    return np.asarray(family.shift) + scale @ raw[:D], scale @ L @ L.T @ scale


@pytest.fixture(params=FAMILIES, ids=["standard", "min_scale", "one unit", "units"])
def family(request):
    return request.param


def test_density_and_entropy_as_scipy(family):
    expected = [stats.multivariate_normal(*dense(family, z)) for z in Z[0]]
    np.testing.assert_allclose(family(Z).log_prob(Y)[0], [q.logpdf(y) for q, y in zip(expected, Y, strict=True)])
    np.testing.assert_allclose(family.entropy(Z)[0], [q.entropy() for q in expected])


def test_moments(family):
    mean, covariance = dense(family, Z[1, 2])
    np.testing.assert_allclose(family.mean(Z)[1, 2], mean, rtol=1e-10)
    np.testing.assert_allclose(family.covariance(Z)[1, 2], covariance, rtol=1e-10)
    np.testing.assert_allclose(family.variance(Z)[1, 2], np.diag(covariance), rtol=1e-10)


def test_min_scale_bounds_the_pivots():
    scale_tril = MultivariateGaussian(D, min_scale=0.3)(torch.full((9,), -1e4)).scale_tril
    torch.testing.assert_close(scale_tril.diagonal(), torch.full((3,), 0.3))


@pytest.mark.parametrize("dimension", range(1, 5))
def test_number_of_parameters(dimension):
    family = MultivariateGaussian(dimension)
    assert family.num_parameters == dimension * (dimension + 3) // 2
    assert family(torch.zeros(2, family.num_parameters)).event_shape == (dimension,)


def test_pairwise_kl_is_the_double_loop(family, weights, loop_kl):
    torch.testing.assert_close(family.pairwise_kl(Z, weights), loop_kl(family, Z, weights))


def test_pairwise_kl_has_no_units(weights):
    torch.testing.assert_close(FAMILIES[3].pairwise_kl(Z, weights), FAMILIES[0].pairwise_kl(Z, weights))


def test_nodes_carry_the_moments_of_the_mixture(family, weights):
    y, node_weights, method = family.nodes(Z, weights)
    mean = torch.einsum("m,mbd->bd", weights, family.mean(Z))
    second = torch.einsum("m,mbd->bd", weights, family.variance(Z) + family.mean(Z).square())
    assert method == "qmc"
    torch.testing.assert_close(node_weights.sum(0), torch.ones(1, dtype=torch.float64))
    torch.testing.assert_close((node_weights[..., None] * y).sum(0), mean)
    torch.testing.assert_close((node_weights[..., None] * y.square()).sum(0), second, rtol=0.05, atol=0)


def test_in_units_per_entry():
    family, other = FAMILIES[0], FAMILIES[0].in_units((1.0, -2.0, 0.5), (10.0, 0.1, 2.0))
    shift, scale = torch.tensor(other.shift, dtype=Y.dtype), torch.tensor(other.scale, dtype=Y.dtype)
    torch.testing.assert_close(other.mean(Z), shift + scale * family.mean(Z))
    torch.testing.assert_close(other.variance(Z), scale.square() * family.variance(Z))
    moved = other(Z).log_prob(shift + scale * Y)
    torch.testing.assert_close(moved, family(Z).log_prob(Y) - scale.log().sum())


def test_canonical_takes_parameters_only():
    assert FAMILIES[0].canonical(Z) is Z
    with pytest.raises(ValueError, match="one of 'parameters', but got 'moments'"):
        FAMILIES[0].canonical(Z, "moments")


@pytest.mark.parametrize("shape", [(7,), (7, 2), (3, 7)])
def test_targets_of_another_shape_raise(shape):
    with pytest.raises(ValueError, match=r"Expected `y` of shape \(7, 3\), but got .* Reshape y to \(7, 3\)"):
        FAMILIES[0].as_target(torch.zeros(shape), torch.Size([7]), torch.float32)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dimension": 0}, "`dimension` of at least 1, but got 0"),
        ({"dimension": 2, "min_scale": 0.0}, "`min_scale` to be a finite number above 0"),
    ],
)
def test_construction_refuses_nonsense(options, message):
    with pytest.raises(ValueError, match=message):
        MultivariateGaussian(**options)


def test_in_units_refuses_a_scale_of_zero():
    with pytest.raises(ValueError, match="`scale` to be a finite number above 0, but got 0"):
        FAMILIES[0].in_units((0.0, 0.0, 0.0), (1.0, 0.0, 1.0))


def test_wrong_number_of_parameters_is_explained():
    with pytest.raises(ValueError, match=r"9 parameters .* Give the network 9 outputs"):
        FAMILIES[0](torch.zeros(4, 3))
