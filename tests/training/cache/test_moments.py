"""Points that stand for members have their mean and covariance."""

import torch

import endd
from endd.distributions import FullNormal
from endd.objectives import DistributionDistillation
from endd.training.cache.moments import packed_moments, sigma_points


def test_mean_and_covariance_come_back() -> None:
    z = torch.randn(9, 5, 3, dtype=torch.float64)
    points = sigma_points(packed_moments(z), 3)
    assert points.shape == (6, 5, 3)
    torch.testing.assert_close(points.mean(0), z.mean(0))
    for row in range(5):
        torch.testing.assert_close(torch.cov(points[:, row].T, correction=0), torch.cov(z[:, row].T, correction=0))


def test_a_normal_learns_the_same_from_them() -> None:
    z, weights = torch.randn(4, 6, 2), torch.tensor([0.4, 0.3, 0.2, 0.1])
    v, objective = FullNormal.from_raw(torch.randn(6, 5)), DistributionDistillation()
    points = sigma_points(packed_moments(z, weights), 2)
    torch.testing.assert_close(objective(v, endd.Members(points)), objective(v, endd.Members(z, weights)))
