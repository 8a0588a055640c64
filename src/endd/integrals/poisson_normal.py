"""Poisson q with a normal v over the log rate: the rate is log-normal, so its moments are closed."""

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._transforms import wide_dtype
from endd.distributions import Normal
from endd.families import Poisson
from endd.integrals.base import Integrals, registry
from endd.integrals.points import by_points
from endd.integrals.result import Integral, exact


class PoissonNormal(Integrals):
    """Moments of a log-normal rate in closed form; everything else on the fallback's grid."""

    def __init__(self, family: Poisson, v: Normal) -> None:
        self._on_grid = by_points(family, v)
        wide = wide_dtype(v.loc)
        self._dtype = v.loc.dtype
        self._mean, self._variance = v.loc[..., 0].to(wide), v.variance[..., 0].to(wide)

    def marginal(self) -> Distribution:
        """A mixture of Poissons on the grid."""
        return self._on_grid.marginal()

    def expected_variance(self) -> Integral:
        """E[rate] = exp(mean + variance / 2), infinite where it overflows."""
        return exact((self._mean + self._variance / 2).exp().to(self._dtype))

    def variance_of_mean(self) -> Integral:
        """Var[rate] = exp(2 mean + variance) (exp(variance) - 1), in logs so that 0 x infinity cannot arise."""
        log_growth = self._variance + torch.log(-torch.expm1(-self._variance))
        return exact((2 * self._mean + self._variance + log_growth).exp().to(self._dtype))

    def expected_entropy(self) -> Integral:
        """On the grid."""
        return self._on_grid.expected_entropy()

    def information(self) -> Integral:
        """On the grid."""
        return self._on_grid.information()

    def expected_pairwise_kl(self) -> Integral:
        """Cov(rate, log rate) = variance E[rate], by Stein's identity."""
        return exact((self._variance * (self._mean + self._variance / 2).exp()).to(self._dtype))

    def expected_log_prob(self, y: Tensor) -> Integral:
        """On the grid."""
        return self._on_grid.expected_log_prob(y)


registry.register(Poisson, Normal)(PoissonNormal)
