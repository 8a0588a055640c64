"""The distribution of shift + scale * y."""

import pytest
import torch
from torch.distributions import Independent, Laplace, MultivariateNormal, Normal

from endd.families.units import Rescaled, rescale

LOC = torch.tensor([-1.0, 0.0, 2.0], dtype=torch.float64)
Y = torch.tensor([[0.3, -4.0, 7.0], [1.0, 2.0, 3.0]], dtype=torch.float64)
BASE = Laplace(LOC, torch.full_like(LOC, 0.7))
# the same thing, written down directly
MOVED = Laplace(5 + 2 * LOC, torch.full_like(LOC, 1.4))


def test_no_units_change_nothing():
    assert rescale(BASE, 0.0, 1.0) is BASE


def test_density_cdf_and_quantiles():
    q = rescale(BASE, 5.0, 2.0)
    level = torch.tensor([0.1, 0.5, 0.9], dtype=torch.float64)
    torch.testing.assert_close(q.log_prob(Y), MOVED.log_prob(Y))
    torch.testing.assert_close(q.cdf(Y), MOVED.cdf(Y))
    torch.testing.assert_close(q.icdf(level), MOVED.icdf(level))


@pytest.mark.parametrize("name", ["mean", "variance", "stddev"])
def test_moments(name):
    torch.testing.assert_close(getattr(rescale(BASE, 5.0, 2.0), name), getattr(MOVED, name))


def test_entropy():
    torch.testing.assert_close(rescale(BASE, 5.0, 2.0).entropy(), MOVED.entropy())


def test_draws_move_too():
    torch.manual_seed(0)
    expected = 5 + 2 * BASE.rsample((4,))
    torch.manual_seed(0)
    torch.testing.assert_close(rescale(BASE, 5.0, 2.0).rsample((4,)), expected)


def test_a_vector_in_units_of_its_own_per_entry():
    shift, scale = (1.0, -2.0, 0.5), (10.0, 0.1, 2.0)
    q = rescale(Independent(BASE, 1), shift, scale)
    b, a = torch.tensor(shift, dtype=LOC.dtype), torch.tensor(scale, dtype=LOC.dtype)
    expected = Independent(Laplace(b + a * LOC, 0.7 * a), 1)
    torch.testing.assert_close(q.log_prob(Y), expected.log_prob(Y))
    torch.testing.assert_close(q.entropy(), expected.entropy())
    torch.testing.assert_close(q.mean, expected.mean)
    torch.testing.assert_close(q.variance, expected.variance)


def test_expand():
    q = rescale(BASE, 5.0, 2.0).expand([2, 3])
    assert isinstance(q, Rescaled)
    assert q.batch_shape == (2, 3)
    torch.testing.assert_close(q.log_prob(Y), MOVED.log_prob(Y))
    torch.testing.assert_close(q.mean, MOVED.mean.expand(2, 3))


def test_a_normal_stays_a_normal():
    q = rescale(Normal(LOC, 0.5), 5.0, 2.0)
    assert isinstance(q, Normal)
    torch.testing.assert_close((q.loc, q.scale), (5 + 2 * LOC, torch.ones_like(LOC)))


@pytest.mark.parametrize("scale", [2.0, (10.0, 0.1, 2.0)])
def test_a_multivariate_normal_stays_one(scale):
    L = torch.tensor([[1.0, 0.0, 0.0], [0.5, 2.0, 0.0], [-1.0, 0.3, 0.7]], dtype=LOC.dtype)
    q = rescale(MultivariateNormal(LOC, scale_tril=L), 1.0, scale)
    a = torch.diag(torch.tensor(scale, dtype=LOC.dtype).expand(3))
    assert isinstance(q, MultivariateNormal)
    torch.testing.assert_close(q.mean, 1 + a @ LOC)
    torch.testing.assert_close(q.covariance_matrix, a @ L @ L.T @ a)


def test_precision_follows_the_base():
    q = rescale(Laplace(LOC.float(), torch.ones(3)), 5.0, 2.0)
    assert q.mean.dtype == q.log_prob(Y.float()).dtype == torch.float32
