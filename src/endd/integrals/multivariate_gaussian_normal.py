"""Vector Gaussian q with a normal v over (mean, Cholesky factor): the mean in closed form, the factor by points."""

from functools import cached_property

import torch
from torch import Tensor
from torch.distributions import Distribution, MultivariateNormal

from endd._elementary import qr
from endd._points import sobol_normal
from endd._transforms import kl_terms, log_weights, tril_from_raw, wide_dtype
from endd.distributions import Normal
from endd.families import MultivariateGaussian
from endd.families.multivariate_gaussian import multivariate_pairwise_kl
from endd.families.units import rescale
from endd.integrals.base import Integrals, registry
from endd.integrals.marginals import Mixture
from endd.integrals.result import Integral, approximate, exact, from_atoms

POINTS = 256


class MultivariateGaussianNormal(Integrals):
    """z = (m, s) ~ N(loc, A A') with rows A = (a; b). Given s, m is normal: mean m~ + offset(s), covariance G G'.

    With b' = Q R, s = s~ + R' e for standard normal e, the offset is (a Q) e and G = a - (a Q) Q'. All in standardised
    units and wide precision; results are moved to the user's units at the end.
    """

    def __init__(self, family: MultivariateGaussian, v: Normal) -> None:
        self.family, self.v = family, v
        wide, D = wide_dtype(v.loc), family.dimension
        a, b = v.rows().to(wide).split([D, family.num_parameters - D], -2)
        Q, R = qr(b.mT)
        along = a @ Q
        self.a, self.spread = a, a - along @ Q.mT
        points = sobol_normal(POINTS, R.shape[-1], wide, v.loc.device)
        self.offsets = torch.einsum("...dt,st->s...d", along, points)
        s = v.loc[..., D:].to(wide) + torch.einsum("...tu,st->s...u", R, points)
        self.scale_tril = tril_from_raw(s, D, family.min_scale)
        self.weights = points.new_full((POINTS,), 1 / POINTS)

    @property
    def _unit(self) -> Tensor:
        """One unit of each entry of y, (D,)."""
        scale = torch.as_tensor(self.family.scale, dtype=self.a.dtype, device=self.a.device)
        return scale.expand(self.family.dimension)

    def _narrow(self, value: Tensor) -> Tensor:
        return value.to(self.v.loc.dtype)

    @cached_property
    def _component_tril(self) -> Tensor:
        """Cholesky factors of L L' + G G', (256, *batch, D, D), by a QR of (L, G)'."""
        both = torch.cat([self.scale_tril, self.spread.expand(POINTS, *[-1] * self.spread.ndim)], -1)
        upper = qr(both.mT)[1]
        signs = torch.diagonal(upper, dim1=-2, dim2=-1).sign().unsqueeze(-1)
        lower: Tensor = (signs * upper).mT
        return lower

    def _components(self, first: bool) -> MultivariateNormal:
        """The components of the marginal around 0, the index of the component first or last in the batch."""
        offsets, tril = self.offsets, self._component_tril
        if not first:
            offsets, tril = offsets.movedim(0, -2), tril.movedim(0, -3)
        return MultivariateNormal(offsets, scale_tril=tril, validate_args=False)

    def marginal(self) -> Distribution:
        """A mixture of 256 normals."""
        q = self._components(first=False)
        loc = self._narrow(self.v.loc[..., None, : self.family.dimension] + q.loc)
        q = MultivariateNormal(loc, scale_tril=self._narrow(q.scale_tril), validate_args=False)
        components = rescale(q, self.family.shift, self.family.scale)
        return Mixture(self.family, self._narrow(self.weights), components, "qmc")

    def expectation(self) -> Tensor:
        """shift + scale E[m]."""
        shift = torch.as_tensor(self.family.shift, dtype=self.a.dtype, device=self.a.device)
        return self._narrow(shift + self._unit * self.v.loc[..., : self.family.dimension])

    def expected_covariance(self) -> Tensor:
        """E[L L'] in the user's units."""
        mean = (self.scale_tril @ self.scale_tril.mT).mean(0)
        return self._narrow(mean * self._unit * self._unit.unsqueeze(-1))

    def covariance_of_mean(self) -> Tensor:
        """a a' in the user's units."""
        return self._narrow(self.a @ self.a.mT * self._unit * self._unit.unsqueeze(-1))

    def expected_variance(self) -> Integral:
        """The diagonal of E[L L']."""
        return from_atoms(torch.diagonal(self.expected_covariance(), dim1=-2, dim2=-1), "qmc")

    def variance_of_mean(self) -> Integral:
        """The diagonal of a a'."""
        return exact(self._narrow(self.a.square().sum(-1) * self._unit.square()))

    def _log_det(self, tril: Tensor) -> Tensor:
        return 2 * torch.diagonal(tril, dim1=-2, dim2=-1).log().sum(-1)

    def expected_entropy(self) -> Integral:
        """E of the entropy of N(0, L L'), in the user's units."""
        q = MultivariateNormal(torch.zeros_like(self.offsets), scale_tril=self.scale_tril, validate_args=False)
        return from_atoms(self._narrow(q.entropy().mean(0) + self._unit.log().sum()), "qmc")

    def information(self) -> Integral:
        """I(y; m | s) + I(y; s): E 1/2 log |L L' + G G'| / |L L'|, and a sum over values of y."""
        given_s = (self._log_det(self._component_tril) - self._log_det(self.scale_tril)).mean(0).clamp(min=0) / 2
        q = self._components(first=True)
        noise = sobol_normal(4, self.family.dimension, q.loc.dtype, q.loc.device)
        log_w = log_weights(self.weights).reshape(-1, *[1] * len(q.batch_shape[1:])).expand(q.batch_shape)
        about_s = torch.zeros_like(given_s)
        for point in noise:
            for y in (q.loc + (q.scale_tril @ point.unsqueeze(-1)).squeeze(-1)).split(32):
                posterior = (q.log_prob(y.unsqueeze(1)) + log_w).log_softmax(1)
                about_s = about_s + kl_terms(posterior, log_w).sum(1).sum(0) / (POINTS * len(noise))
        return approximate(self._narrow(given_s + about_s), "qmc", 0.1, 0.05)

    def expected_pairwise_kl(self) -> Integral:
        """The atoms' formula, each mean carrying the covariance G G'."""
        value = multivariate_pairwise_kl(self.offsets, self.scale_tril, self.weights, self.spread)
        return from_atoms(self._narrow(value), "qmc", tail=True)

    def expected_log_prob(self, y: Tensor) -> Integral:
        """E log N(y; m~ + offset, L L') - 1/2 E |L^-1 G|^2."""
        y = self.family.as_target(y, self.v.batch_shape, self.v.loc.dtype)
        residual = self.family.standardise(y.to(self.a)) - self.v.loc[..., : self.family.dimension]
        q = MultivariateNormal(self.offsets, scale_tril=self.scale_tril, validate_args=False)
        spread = torch.linalg.solve_triangular(self.scale_tril, self.spread, upper=False).square().sum((-2, -1))
        value = (q.log_prob(residual) - spread / 2).mean(0) - self._unit.log().sum()
        return from_atoms(self._narrow(value), "qmc", tail=True)


registry.register(MultivariateGaussian, Normal)(MultivariateGaussianNormal)
