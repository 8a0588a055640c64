"""A stretch about the mean, against the same prediction written down with other numbers."""

import pytest
import torch

import endd
from endd.families import Family, Gaussian, MultivariateGaussian
from endd.integrals import integrals_of
from endd.integrals.stretched import StretchedIntegrals

C = torch.tensor(1.7, dtype=torch.float64)


def test_of_atoms_it_is_the_atoms_stretched() -> None:
    """For a Gaussian with atoms the stretched prediction has a z of its own."""
    family, z = Gaussian(min_variance=1e-6), torch.randn(5, 7, 2, dtype=torch.float64)
    mean = z[..., 0].mean(0)
    moments = torch.stack([mean + C * (z[..., 0] - mean), C**2 * family.raw_to_variance(z[..., 1])], -1)
    expected = integrals_of(family, endd.Members(family.canonical(moments, "moments")))
    stretched = StretchedIntegrals(family, integrals_of(family, endd.Members(z)), C)
    for name in ("expected_entropy", "information", "expected_pairwise_kl", "expected_variance", "variance_of_mean"):
        torch.testing.assert_close(getattr(stretched, name)().value, getattr(expected, name)().value)
    y = torch.randn(7, dtype=torch.float64)
    torch.testing.assert_close(stretched.expected_log_prob(y).value, expected.expected_log_prob(y).value)
    torch.testing.assert_close(stretched.marginal().log_prob(y), expected.marginal().log_prob(y))
    level = torch.full((7,), 0.9, dtype=torch.float64)
    torch.testing.assert_close(stretched.marginal().icdf(level), expected.marginal().icdf(level))


class Laplace(Family):
    num_parameters = 1

    def standard(self, z: torch.Tensor) -> torch.distributions.Laplace:
        return torch.distributions.Laplace(z[..., 0], torch.ones_like(z[..., 0]))


@pytest.mark.parametrize("family", [Gaussian(), MultivariateGaussian(2), Laplace()])
def test_the_density_is_that_of_y_moved_back(family: Family) -> None:
    v = endd.Members(torch.randn(5, 7, family.num_parameters, dtype=torch.float64))
    plain = integrals_of(family, v)
    stretched = StretchedIntegrals(family, plain, C)
    y = torch.randn(7, *family.event_shape, dtype=torch.float64)
    mean = plain.marginal().mean
    expected = plain.marginal().log_prob(mean + (y - mean) / C) - family.event_shape.numel() * C.log()
    torch.testing.assert_close(stretched.marginal().log_prob(y), expected)
    torch.testing.assert_close(stretched.marginal().mean, mean)
    torch.testing.assert_close(stretched.marginal().variance, C**2 * plain.marginal().variance)


def test_matrices_get_the_square() -> None:
    family = MultivariateGaussian(2)
    plain = integrals_of(family, endd.Members(torch.randn(5, 7, 5)))
    stretched = StretchedIntegrals(family, plain, C)
    torch.testing.assert_close(stretched.expected_covariance(), C**2 * plain.expected_covariance())
    torch.testing.assert_close(stretched.covariance_of_mean(), C**2 * plain.covariance_of_mean())
