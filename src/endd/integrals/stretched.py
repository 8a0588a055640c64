"""Integrals of a prediction whose y is stretched about its mean, row by row: y' = mean + factor (y - mean).

The map is one and the same for every z, so that each integral follows exactly: variances of both kinds get factor^2,
entropies log factor, and what y tells about z stays what it was.
"""

from dataclasses import replace
from functools import cached_property

from torch import Tensor
from torch.distributions import Distribution, MultivariateNormal, Normal

from endd.families import Family
from endd.families.units import Rescaled
from endd.integrals.base import Integrals
from endd.integrals.marginals import Mixture
from endd.integrals.result import Integral


class StretchedIntegrals(Integrals):
    """Those of `base`, whose marginal is a mixture over numbers or vectors y, after the stretch by a factor (0-d)."""

    def __init__(self, family: Family, base: Integrals, factor: Tensor) -> None:
        self.family, self.base, self.factor = family, base, factor

    @cached_property
    def _plain(self) -> Mixture:
        plain = self.base.marginal()
        assert isinstance(plain, Mixture), "every family over numbers has a mixture for its marginal"
        return plain

    @property
    def _log_factor(self) -> Tensor:
        return self.family.event_shape.numel() * self.factor.log()

    def marginal(self) -> Distribution:
        """The same mixture with its components moved and widened."""
        mean = self._plain.mean.unsqueeze(-1 - len(self.family.event_shape))
        components = _stretched(self._plain.component_distribution, mean, self.factor)
        return Mixture(self.family, self._plain.weights, components, self._plain.method)

    def expectation(self) -> Tensor:
        """That of the base."""
        return self.base.expectation()

    def expected_entropy(self) -> Integral:
        """That of the base, and D log factor."""
        plain = self.base.expected_entropy()
        return replace(plain, value=plain.value + self._log_factor)

    def information(self) -> Integral:
        """That of the base."""
        return self.base.information()

    def expected_pairwise_kl(self) -> Integral:
        """That of the base."""
        return self.base.expected_pairwise_kl()

    def expected_variance(self) -> Integral:
        """factor^2 times that of the base."""
        return self._squared(self.base.expected_variance())

    def variance_of_mean(self) -> Integral:
        """factor^2 times that of the base."""
        return self._squared(self.base.variance_of_mean())

    def expected_log_prob(self, y: Tensor) -> Integral:
        """That of the base for y moved back, less D log factor."""
        mean = self._plain.mean
        plain = self.base.expected_log_prob(mean + (y - mean) / self.factor)
        return replace(plain, value=plain.value - self._log_factor)

    def expected_covariance(self) -> Tensor:
        """factor^2 times that of the base."""
        return self.factor**2 * self.base.expected_covariance()

    def covariance_of_mean(self) -> Tensor:
        """factor^2 times that of the base."""
        return self.factor**2 * self.base.covariance_of_mean()

    def _squared(self, plain: Integral) -> Integral:
        square = self.factor**2
        return replace(plain, value=square * plain.value, absolute=square * plain.absolute)


def _stretched(q: Distribution, mean: Tensor, factor: Tensor) -> Distribution:
    """Components that are normals stay normals, so that their closed forms stay."""
    if isinstance(q, Normal):
        return Normal(mean + factor * (q.loc - mean), factor * q.scale, validate_args=False)
    if isinstance(q, MultivariateNormal):
        loc = mean + factor * (q.loc - mean)
        return MultivariateNormal(loc, scale_tril=factor * q.scale_tril, validate_args=False)
    return Rescaled(q, (1 - factor) * mean, factor.to(mean))
