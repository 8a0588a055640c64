"""A normal over logits modulo a shift, against three other ways of writing its density."""

import math

import numpy as np
import pytest
import torch
from scipy import integrate, stats

from endd.distributions import DiagonalNormal, Dirichlet, FullNormal, LowRankNormal, ModuloShift

GENERATOR = torch.Generator().manual_seed(0)
Z = torch.randn(5, 2, 4, generator=GENERATOR, dtype=torch.float64)


def base(kind, K=4):
    loc = torch.randn(2, K, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    noise = torch.randn(2, K, K, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    scale = noise.diagonal(dim1=-2, dim2=-1).exp()
    if kind is DiagonalNormal:
        return DiagonalNormal(loc, scale)
    if kind is FullNormal:
        return FullNormal(loc, noise.tril(-1) + torch.diag_embed(scale))
    return LowRankNormal(loc, noise[..., :2], scale)


@pytest.fixture(params=[DiagonalNormal, FullNormal, LowRankNormal])
def v(request):
    return ModuloShift(base(request.param))


def formula(r, S):
    """The design page's formula, densely."""
    K, P = len(r), np.linalg.inv(S)
    one = np.ones(K)
    square = r @ P @ r - (one @ P @ r) ** 2 / (one @ P @ one)
    return -((K - 1) * math.log(2 * math.pi) + np.linalg.slogdet(S)[1] + math.log(one @ P @ one) + square) / 2


def test_density_is_the_formula(v):
    residuals, S = (Z - v.base.loc).numpy(), v.base.covariance_matrix.numpy()
    expected = [[formula(residuals[s, b], S[b]) for b in range(2)] for s in range(5)]
    np.testing.assert_allclose(v.log_prob(Z), expected, rtol=1e-9)


def test_density_is_the_integral_over_the_shift(v):
    normal = stats.multivariate_normal(v.base.loc[0].numpy(), v.base.covariance_matrix[0].numpy())
    z = Z[0, 0].numpy()
    total, _ = integrate.quad(lambda t: normal.pdf(z + t), -40, 40, limit=400, epsabs=0)
    assert v.log_prob(Z)[0, 0].item() == pytest.approx(math.log(total), rel=1e-6)


@pytest.mark.parametrize("kind", [DiagonalNormal, FullNormal, LowRankNormal])
@pytest.mark.parametrize("K", [2, 4])
def test_density_is_that_of_the_differences_to_the_last_class(kind, K, scipy_log_prob):
    v = ModuloShift(base(kind, K))
    A = torch.cat([torch.eye(K - 1), -torch.ones(K - 1, 1)], 1).double()
    z = Z[..., :K]
    expected = scipy_log_prob(z @ A.T, v.base.loc @ A.T, A @ v.base.covariance_matrix @ A.T)
    np.testing.assert_allclose(v.log_prob(z), expected.reshape(5, 2), rtol=1e-9)


@pytest.mark.parametrize("shift", [-1e3, 0.5, 1e3])
def test_density_ignores_a_shift(v, shift):
    torch.testing.assert_close(v.log_prob(Z + shift), v.log_prob(Z))


def test_density_ignores_the_variance_along_the_shift():
    narrow = FullNormal(torch.zeros(3).double(), torch.eye(3).double())
    wide = FullNormal(torch.zeros(3).double(), torch.linalg.cholesky(torch.eye(3) + 50.0).double())
    z = Z[..., :3]
    torch.testing.assert_close(ModuloShift(narrow).log_prob(z), ModuloShift(wide).log_prob(z), rtol=1e-4, atol=1e-4)


def test_draws_and_moments_are_those_of_the_base(v):
    torch.manual_seed(0)
    z = v.rsample((4,))
    torch.manual_seed(0)
    assert torch.equal(z, v.base.rsample((4,)))
    assert torch.equal(v.mean, v.base.mean)
    assert torch.equal(v.variance, v.base.variance)


def test_fixed_points_are_those_of_the_base(v):
    points = torch.randn(6, v.noise_size, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    assert torch.equal(v.at_points(points), v.base.at_points(points))


def test_float32_densities_are_summed_in_float64():
    loc = torch.tensor([1e3, 1e3, 1e3])
    z = loc + torch.tensor([1.0, 0.0, -1.0])
    v = ModuloShift(DiagonalNormal(loc, torch.full((3,), 1e-3)))
    assert v.log_prob(z).item() == pytest.approx(formula(np.array([1, 0, -1]), 1e-6 * np.eye(3)), rel=1e-6)


def test_one_z_for_the_whole_batch(v):
    torch.testing.assert_close(v.log_prob(Z[0, 0]), v.log_prob(Z[0, 0].expand(2, 4)))


def test_expand(v):
    other = v.expand([3, 2])
    assert other.batch_shape == (3, 2)
    torch.testing.assert_close(other.log_prob(Z[0]), v.log_prob(Z[0]).expand(3, 2))


def test_validation_refuses_nan(v):
    with pytest.raises(ValueError, match="Expected value argument"):
        v.log_prob(Z * torch.nan)


@pytest.mark.parametrize("form", [DiagonalNormal, FullNormal, LowRankNormal.of(rank=2)])
def test_raw_numbers_are_those_of_the_base(form):
    raw = torch.randn(3, form.raw_size(4), generator=torch.Generator().manual_seed(3))
    v = ModuloShift.of(form).from_raw(raw)
    assert ModuloShift.of(form).raw_size(4) == raw.shape[-1]
    assert torch.equal(v.mean, form.from_raw(raw).mean)
    assert torch.equal(v.variance, form.from_raw(raw).variance)


def test_the_base_is_low_rank_unless_told_otherwise():
    raw = torch.zeros(3, ModuloShift.raw_size(5))
    assert repr(ModuloShift.from_raw(raw)) == "ModuloShift(LowRankNormal(batch=(3,), P=5, rank=4))"
    assert repr(ModuloShift.of().from_raw(raw)) == "ModuloShift(LowRankNormal(batch=(3,), P=5, rank=4))"


def test_repr_of_the_form():
    assert repr(ModuloShift.of(LowRankNormal.of(rank=2))) == "ModuloShift.of(base=LowRankNormal.of(rank=2))"


@pytest.mark.parametrize("other", [Dirichlet(torch.ones(2, 3)), torch.zeros(2, 3), FullNormal])
def test_only_a_normal_can_be_the_base(other):
    with pytest.raises(TypeError, match="Expected a DiagonalNormal, FullNormal or LowRankNormal as the base, but got"):
        ModuloShift(other)
