"""Poisson q with a normal v over the log rate: the rate is log-normal, so its moments are closed."""

import math

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._elementary import exporting
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
# Of the marginal there may be more points: so many, that its components overlap up to two standard deviations above
# the mean log rate, where they are at most so many of their own widths apart.
MOST_POINTS, APART = 16_384, 1.5


class PoissonNormal(Integrals):
    """Moments of a log-normal rate in closed form; everything else on a grid of log rates.

    The grid resolves the information while scale x sqrt(rate) stays below about 40; beyond, the declared error is
    infinite. The marginal has as many points as it needs, and is refused where that would be too many.
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

    def _apart(self, reach: float) -> Tensor:
        """How many of their widths neighbours on the grid are apart, `reach` deviations above the mean log rate."""
        mean, deviation = self._mean, self._variance.sqrt()
        return deviation * (2 * REACH / (POINTS - 1)) * ((mean + reach * deviation) / 2).exp()

    def _checked(self, result: Integral) -> Integral:
        return unless(result, lambda: self._apart(1.0) > 2)

    def marginal(self) -> Distribution:
        """A mixture of Poissons on a grid that is fine enough."""
        apart = self._apart(2.0)
        if exporting() or not bool((apart > APART).any()):
            return self._on_grid.marginal()
        needed = POINTS * 2 ** math.ceil(math.log2(float(apart.max()) / APART))
        if needed > MOST_POINTS:
            row = apart.argmax()
            raise ValueError(
                f"Expected log rates that a grid of {MOST_POINTS} points resolves, but got one of mean "
                f"{float(self._mean.flatten()[row]):.4g} and standard deviation "
                f"{float(self._variance.flatten()[row].sqrt()):.4g}. Describe counts as large as that by a Gaussian."
            )
        return AtomIntegrals(self._family, self._grid(needed), "quadrature").marginal()

    def expectation(self) -> Tensor:
        """E[rate]."""
        return self.expected_variance().value

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
