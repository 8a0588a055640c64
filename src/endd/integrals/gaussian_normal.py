"""Gaussian q with a normal v over (mean, raw variance): the mean in closed form, the variance on a grid."""

import math
from functools import cached_property

import torch
from torch import Tensor
from torch.distributions import Distribution
from torch.distributions import Normal as TorchNormal

from endd._elementary import weigh
from endd._points import normal_line, phased_lines
from endd._transforms import kl_terms
from endd.distributions import Normal
from endd.families import Gaussian
from endd.families.gaussian import gaussian_entropy, gaussian_pairwise_kl
from endd.families.units import rescale
from endd.integrals.base import Integrals, registry
from endd.integrals.marginals import Mixture
from endd.integrals.result import Integral, approximate, exact, unless

POINTS, REACH = 48, 6.0
# The mean variance alone has a smooth integrand: fewer points keep it to 6e-4 at a scale of 5, 2e-5 at 2.
MOMENT_POINTS, MOMENT_REACH = 20, 5.5
# Points of y per component of the marginal: its 48 components overlap, so few are enough.
Y_POINTS, Y_REACH = 13, 4.5
# Declared for scales of the raw variance up to MAX_SCALE. The density is worst where the variance nears its floor.
MAX_SCALE = 5.0
# Neighbouring components of the marginal are at least so many steps wide.
OVERLAP = 0.8
RELATIVE, ABSOLUTE = 0.002, 0.003


class GaussianNormal(Integrals):
    """z = (m, s) ~ N(loc, A A'). Given s, m is normal: its mean moves with s and its variance `spread` is fixed.

    So the marginal is a mixture over the grid of s with components N(mean_i, variance_i + spread).
    """

    def __init__(self, family: Gaussian, v: Normal) -> None:
        self.family, self.v = family, v
        self._spread_of_z = v.variance

    @cached_property
    def _scale_of_s(self) -> Tensor:
        return self._spread_of_z[..., 1:].sqrt()

    def _variances_at(self, points: Tensor) -> Tensor:
        """The variance of y at points of s in standard units, (*batch, points)."""
        return self.family.raw_to_variance(torch.addcmul(self.v.loc[..., 1:], self._scale_of_s, points))

    @cached_property
    def weights(self) -> Tensor:
        """Of the grid of s, (48,)."""
        return normal_line(POINTS, REACH, self.v.loc.dtype, self.v.loc.device).weights

    @cached_property
    def variances(self) -> Tensor:
        """Of y at each point of the grid, (*batch, 48)."""
        return self._variances_at(normal_line(POINTS, REACH, self.v.loc.dtype, self.v.loc.device).points)

    @cached_property
    def _mean_given_s(self) -> tuple[Tensor, Tensor]:
        """The offsets and the spread of m given s."""
        a, b = self.v.rows().unbind(-2)
        slope = ((a * b).sum(-1) / self._spread_of_z[..., 1]).unsqueeze(-1)
        # the residual of a on b, squared: a difference of products would cancel when m and s are tied together
        spread = (a - slope * b).square().sum(-1, keepdim=True)
        points = normal_line(POINTS, REACH, self.v.loc.dtype, self.v.loc.device).points
        return slope * (self._scale_of_s * points), spread

    @property
    def offsets(self) -> Tensor:
        """How far the mean of m given s lies from that of m, (*batch, 48).

        Kept apart from the mean itself: where that is large, their sum would round the offsets away.
        """
        return self._mean_given_s[0]

    @property
    def means(self) -> Tensor:
        """Of m given each point of the grid, (*batch, 48)."""
        return self.v.loc[..., :1] + self.offsets

    @property
    def spread(self) -> Tensor:
        """The variance of m given s, (*batch, 1)."""
        return self._mean_given_s[1]

    def _average(self, values: Tensor) -> Tensor:
        return weigh(values, self.weights)

    def _result(self, value: Tensor, relative: float = RELATIVE, absolute: float = ABSOLUTE) -> Integral:
        result = approximate(value, "quadrature", relative, absolute)
        return unless(result, lambda: self._scale_of_s.squeeze(-1) > MAX_SCALE)

    def _squared_units(self, value: Tensor) -> Tensor:
        return value if self.family.scale == 1 else self.family.scale**2 * value

    @cached_property
    def _smooth(self) -> tuple[Tensor, Tensor]:
        """Offsets and spread of the marginal's components, wide enough to overlap.

        Where m all but follows s, components narrower than their distance would make the marginal a comb. A part d^2
        of the variance that comes from s is then moved into the components; the variance of m stays what it is.
        """
        offsets, spread = self._mean_given_s
        step = (offsets[..., 1:2] - offsets[..., :1]).abs()
        from_s = (step * (POINTS - 1) / (2 * REACH)).square().clamp(min=torch.finfo(step.dtype).tiny)
        # the noise two standard deviations down, where components are narrow and still count
        noise = self.variances[..., POINTS // 3 : POINTS // 3 + 1]
        missing = (OVERLAP * step).square() - spread - noise
        part = (missing / from_s).clamp(0.0, 0.5)
        return offsets * (1 - part).sqrt(), spread + part * from_s

    def _components(self, centre: Tensor | float) -> TorchNormal:
        offsets, spread = self._smooth
        return TorchNormal(centre + offsets, (self.variances + spread).sqrt(), validate_args=False)

    def marginal(self) -> Distribution:
        """A mixture of 48 normals."""
        components = rescale(self._components(self.v.loc[..., :1]), self.family.shift, self.family.scale)
        return Mixture(self.family, self.weights, components, "quadrature")

    def expectation(self) -> Tensor:
        """shift + scale E[m]."""
        return self.family.mean(self.v.loc)

    def expected_entropy(self) -> Integral:
        """E 1/2 log(2 pi e variance) + log scale."""
        return self._result(self._average(gaussian_entropy(self.variances)) + math.log(self.family.scale))

    def expected_variance(self) -> Integral:
        """scale^2 E[softplus(s) + min_variance]."""
        line = normal_line(MOMENT_POINTS, MOMENT_REACH, self.v.loc.dtype, self.v.loc.device)
        variance = weigh(self._variances_at(line.points), line.weights)
        return self._result(self._squared_units(variance), RELATIVE, 1e-6 * self.family.scale**2)

    def variance_of_mean(self) -> Integral:
        """scale^2 Var[m]."""
        return exact(self._squared_units(self._spread_of_z[..., 0]))

    def information(self) -> Integral:
        """I(y; m | s) + I(y; s), both at least 0: E 1/2 log(1 + spread / variance), and a sum over values of y."""
        given_s = self._average(torch.log1p(self._smooth[1] / self.variances)) / 2
        # without the mean itself, next to which narrow components would be rounded away
        q = self._components(0.0)
        line = phased_lines(Y_POINTS, POINTS, Y_REACH, q.loc.dtype, q.loc.device)
        log_w = self.weights.log()
        about_s = torch.zeros_like(given_s)
        for point, weight in zip(line.points, line.weights, strict=True):
            y = (q.loc + q.scale * point).unsqueeze(-1)  # (*batch, 48, 1): one value from each component
            log_q = TorchNormal(q.loc.unsqueeze(-2), q.scale.unsqueeze(-2), validate_args=False).log_prob(y)
            moved = kl_terms((log_w + log_q).log_softmax(-1), log_w.expand_as(log_q)).sum(-1)
            about_s = about_s + self._average(weight * moved)
        return self._result(given_s + about_s, 0.02, 0.01)

    def expected_pairwise_kl(self) -> Integral:
        """The atoms' formula, each mean carrying the variance `spread`."""
        means, variances = self.offsets.movedim(-1, 0), self.variances.movedim(-1, 0)
        spread = self.spread.movedim(-1, 0).expand_as(means)
        return self._result(gaussian_pairwise_kl(means, variances, self.weights, spread), 0.02)

    def expected_log_prob(self, y: Tensor) -> Integral:
        """E log N(y; mean, variance) - 1/2 E[spread / variance]."""
        y = self.family.standardise(self.family.as_target(y, self.v.batch_shape, self.v.loc.dtype))
        q = TorchNormal(self.means, self.variances.sqrt(), validate_args=False)
        value = self._average(q.log_prob(y.unsqueeze(-1)) - self.spread / (2 * self.variances))
        return self._result(value - math.log(self.family.scale))


registry.register(Gaussian, Normal)(GaussianNormal)
