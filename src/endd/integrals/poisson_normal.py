"""Poisson q with a normal v over the log rate: the rate is log-normal, so its moments are closed."""

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._points import normal_line
from endd._transforms import wide_dtype
from endd.distributions import Members, Normal
from endd.families import Poisson
from endd.integrals.atoms import AtomIntegrals
from endd.integrals.base import Integrals, registry
from endd.integrals.result import Integral, exact, unless

# A Poisson at a high rate is narrow beside its rate: the grid must be fine for its components to overlap. The values
# of y over which the information is averaged need fewer.
POINTS, Y_COMPONENTS, REACH = 256, 48, 6.0


class PoissonNormal(Integrals):
    """Moments of a log-normal rate in closed form; everything else on a grid of log rates.

    The grid resolves the marginal while scale x sqrt(rate) stays below about 40; beyond, the declared error is
    infinite, except for what is closed.
    """

    def __init__(self, family: Poisson, v: Normal) -> None:
        self._family, self._dtype = family, v.loc.dtype
        self._loc, self._scale = v.loc, v.variance.sqrt()
        wide = wide_dtype(v.loc)
        self._mean, self._variance = v.loc[..., 0].to(wide), v.variance[..., 0].to(wide)
        self._on_grid = AtomIntegrals(family, self._grid(POINTS), "quadrature")

    def _grid(self, points: int) -> Members:
        line = normal_line(points, REACH, self._dtype, self._loc.device)
        z = self._loc + self._scale * line.points.reshape(-1, *[1] * self._loc.ndim)
        return Members(z, line.weights, validate_args=False)

    def _checked(self, result: Integral) -> Integral:
        step = self._scale[..., 0] * 2 * REACH / (POINTS - 1)
        width_in_steps = step * ((self._loc[..., 0] + self._scale[..., 0]) / 2).exp()
        return unless(result, lambda: width_in_steps > 2)

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
        """Over the values of y of a coarse grid, what they say about the place on the fine one."""
        coarse = self._grid(Y_COMPONENTS)
        wide = wide_dtype(self._loc)
        nodes = self._family.nodes(coarse.atoms.to(wide), coarse.weights.to(wide))
        return self._checked(self._on_grid.information(nodes))

    def expected_pairwise_kl(self) -> Integral:
        """Cov(rate, log rate) = variance E[rate], by Stein's identity."""
        return exact((self._variance * (self._mean + self._variance / 2).exp()).to(self._dtype))

    def expected_log_prob(self, y: Tensor) -> Integral:
        """On the grid."""
        return self._on_grid.expected_log_prob(y)


registry.register(Poisson, Normal)(PoissonNormal)
