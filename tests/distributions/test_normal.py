"""What all normals share, shown for each way of storing the covariance."""

import math

import numpy as np
import pytest
import torch
from scipy import stats

from endd.distributions import DiagonalNormal, FullNormal, LowRankNormal, Normal
from endd.distributions.normal import MIN_SCALE, describe_distribution

B, P = 2, 3
GENERATOR = torch.Generator().manual_seed(0)
LOC = torch.randn(B, P, generator=GENERATOR, dtype=torch.float64)
NOISE = torch.randn(B, P, P, generator=GENERATOR, dtype=torch.float64)
SCALE = NOISE.diagonal(dim1=-2, dim2=-1).exp()
Z = torch.randn(5, B, P, generator=GENERATOR, dtype=torch.float64)
NORMALS = [
    DiagonalNormal(LOC, SCALE),
    FullNormal(LOC, NOISE.tril(-1) + torch.diag_embed(SCALE)),
    LowRankNormal(LOC, NOISE[..., :2], SCALE),
]


@pytest.fixture(params=NORMALS, ids=lambda v: type(v).__name__)
def v(request):
    return request.param


def test_normal_is_abstract():
    with pytest.raises(TypeError, match="abstract class Normal"):
        Normal()


def test_whitening_gives_the_quadratic_form_and_the_determinant(v):
    S = v.covariance_matrix.numpy()
    white, log_det = v.whiten(Z)
    expected = np.einsum("sbp,bpq,sbq->sb", Z, np.linalg.inv(S), Z)
    np.testing.assert_allclose(white.square().sum(-1), expected, rtol=1e-9)
    np.testing.assert_allclose(log_det, np.linalg.slogdet(S)[1], rtol=1e-9)


def test_colouring_noise_is_a_product_with_the_rows(v):
    noise = torch.randn(4, B, v.noise_size, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    torch.testing.assert_close(v.color(noise), torch.einsum("bpn,sbn->sbp", v.rows(), noise))


def test_fixed_points_are_the_same_for_the_whole_batch(v):
    points = torch.randn(4, v.noise_size, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    torch.testing.assert_close(v.at_points(points), v.loc + v.color(points[:, None].expand(4, B, -1)))


def test_moments(v):
    assert v.mean is v.loc
    torch.testing.assert_close(v.variance, v.covariance_matrix.diagonal(dim1=-2, dim2=-1))


def test_draws_have_these_moments(v):
    z = v.sample((20_000,))
    torch.testing.assert_close(z.mean(0), v.mean, rtol=0, atol=0.1)
    residual = z - v.mean
    covariance = torch.einsum("sbp,sbq->bpq", residual, residual) / len(z)
    torch.testing.assert_close(covariance, v.covariance_matrix, rtol=0.05, atol=0.1)


def test_entropy_as_scipy(v):
    expected = [stats.multivariate_normal(cov=S).entropy() for S in v.covariance_matrix.numpy()]
    np.testing.assert_allclose(v.entropy(), expected, rtol=1e-9)


def test_members_are_samples(v):
    assert v.log_prob(Z).shape == (5, B)
    torch.testing.assert_close(v.log_prob(Z)[2], v.log_prob(Z[2]))


def test_draws_carry_gradients():
    loc = LOC.clone().requires_grad_()
    DiagonalNormal(loc, SCALE).rsample((4,)).sum().backward()
    torch.testing.assert_close(loc.grad, torch.full((B, P), 4.0, dtype=torch.float64))


def test_validation_refuses_nan(v):
    with pytest.raises(ValueError, match="Expected value argument"):
        v.log_prob(Z * torch.nan)


def test_float32_densities_are_summed_in_float64():
    loc, scale = torch.zeros(P), torch.full((P,), 1e-12)
    z = torch.tensor([1e-12, -3e-12, 2e-12])
    expected = -(1 + 9 + 4) / 2 - 3 * math.log(2 * math.pi) / 2 - 3 * math.log(1e-12)
    for v in (
        DiagonalNormal(loc, scale),
        FullNormal(loc, torch.diag(scale)),
        LowRankNormal(loc, torch.zeros(P, 1), scale.square()),
    ):
        assert v.log_prob(z).dtype == torch.float32
        assert v.log_prob(z).item() == pytest.approx(expected, rel=1e-6)


def test_expand(v):
    other = v.expand([4, B])
    assert type(other) is type(v)
    assert other.batch_shape == (4, B)
    torch.testing.assert_close(other.log_prob(Z[0].expand(4, B, P)), v.log_prob(Z[0]).expand(4, B))


def test_describe_distribution():
    assert describe_distribution(NORMALS[0], rank=2) == "DiagonalNormal(batch=(2,), P=3, rank=2)"
    assert MIN_SCALE == 1e-3


def test_the_expected_log_density_needs_two_moments_of_z(v):
    z = torch.randn(7, *v.batch_shape, *v.event_shape, dtype=v.loc.dtype, generator=torch.Generator().manual_seed(4))
    mean = z.mean(0)
    factor = torch.linalg.cholesky(torch.einsum("m...p,m...q->...pq", z - mean, z - mean) / 7)
    torch.testing.assert_close(v.expected_log_prob(mean, factor), v.log_prob(z).mean(0))
