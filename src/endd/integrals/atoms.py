"""Weighted atoms: every integral is a sum. The one rule that serves all families."""

from collections.abc import Callable, Iterator
from functools import cached_property

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._elementary import exporting, logsigmoid
from endd._transforms import deviations, kl_terms, log_weights, wide_dtype
from endd.distributions import Atoms
from endd.families import Bernoulli, Family, Nodes
from endd.integrals.base import Integrals, registry
from endd.integrals.marginals import BernoulliMarginal, Mixture
from endd.integrals.result import ATOM_ERROR, Integral, approximate, exact, from_atoms, worst

# How many log-densities are held at once while summing over values of y.
CHUNK = 4_000_000
# How many values of y are taken at once in an exported graph.
EXPORTED_CHUNK = 16
# What a rule over y may be off by in the information and in the pairwise divergence.
NODE_ERROR = {"exact": (0.0, 0.0), "quadrature": (0.02, 0.01), "qmc": (0.1, 0.02), "sampled": (0.3, 0.1)}


class AtomIntegrals(Integrals):
    """Sums over atoms z (M, *batch, P) with weights (M,).

    method: how the atoms stand for v; "exact" if they are v.
    """

    def __init__(self, family: Family, v: Atoms, method: str = "exact") -> None:
        v = v.without_zero_weights()
        self.family, self.z, self.weights, self.method = family, v.atoms, v.weights, method

    def _average(self, values: Tensor) -> Tensor:
        return values[0] if len(values) == 1 else torch.einsum("m,m...->...", self.weights, values)

    def marginal(self) -> Distribution:
        """A mixture of the atoms' q's."""
        if isinstance(self.family, Bernoulli) and self.family.num_labels is None:
            return self._coin()
        return Mixture(self.family, self.weights, self.family(self.z.movedim(0, -2)), self.method)

    def _coin(self) -> Distribution:
        logits, log_w = self.z[..., 0], log_weights(self.weights).reshape(-1, *[1] * (self.z.ndim - 2))
        yes = torch.logsumexp(log_w + logsigmoid(logits), 0)
        no = torch.logsumexp(log_w + logsigmoid(-logits), 0)
        return BernoulliMarginal(self.family, yes - no, self.method)

    def expectation(self) -> Tensor:
        """sum_j w_j E[y; z_j]."""
        return self._average(self.family.mean(self.z))

    def expected_entropy(self) -> Integral:
        """sum_j w_j H[q_j]."""
        return from_atoms(self._average(self.family.entropy(self.z)), self.method)

    def expected_variance(self) -> Integral:
        """sum_j w_j Var[y; z_j]."""
        return from_atoms(self._average(self.family.variance(self.z)), self.method)

    @cached_property
    def _deviations(self) -> Tensor:
        # without the shift, beside which they may be rounded away
        family = self.family if self.family.shift == 0.0 else self.family.in_units(0.0, self.family.scale)
        means = family.mean(self.z)
        return torch.zeros_like(means) if len(means) == 1 else deviations(means, self.weights)

    def variance_of_mean(self) -> Integral:
        """sum_j w_j (E[y; z_j] - mean)^2."""
        return from_atoms(self._average(self._deviations.square()), self.method)

    def expected_log_prob(self, y: Tensor) -> Integral:
        """sum_j w_j log q(y; z_j)."""
        y = self.family.as_target(y, self.z.shape[1:-1], self.z.dtype)
        return from_atoms(self._average(self.family(self.z).log_prob(y)), self.method, tail=True)

    def expected_covariance(self) -> Tensor:
        """sum_j w_j Cov[y; z_j]."""
        return self._average(self.family.covariance(self.z))

    def covariance_of_mean(self) -> Tensor:
        """sum_j w_j d_j d_j' with d_j = E[y; z_j] - mean."""
        return torch.einsum("m,m...d,m...e->...de", self.weights, self._deviations, self._deviations)

    def information(self, nodes: Nodes | None = None) -> Integral:
        """E_y KL(r(y) || w): how far y moves the weights of the atoms towards those that foresaw it.

        r_j(y) = w_j q_j(y) / q~(y) is the posterior of atom j. For every y the divergence is at least 0, so the
        sum over values of y is too, however coarse; and it is at most the entropy of w.
        """
        log_w = log_weights(self.weights)

        def divergence(log_q: Tensor) -> Tensor:
            prior = log_w.reshape(-1, *[1] * (log_q.ndim - 2)).expand(log_q.shape[1:])
            return kl_terms((prior + log_q).log_softmax(1), prior).sum(1)

        return self._over_y(divergence, nodes)

    def expected_pairwise_kl(self) -> Integral:
        """sum_ij w_i w_j KL(q_i || q_j) over all M^2 pairs."""
        closed = self.family.pairwise_kl(self.z, self.weights)
        if closed is not None:
            return from_atoms(closed, self.method, tail=True)

        def covariance(log_q: Tensor) -> Tensor:
            # E_y Cov_j(q_j / q~, log q_j); any constant may be taken off the first factor, and with the geometric
            # mean both factors always have the same sign
            w = self.weights.reshape(-1, *[1] * (log_q.ndim - 2))
            centre = (w * log_q).sum(1, keepdim=True)
            log_mixture = torch.logsumexp(log_weights(w) + log_q, 1, keepdim=True)
            ratio = (log_q - log_mixture).exp() - (centre - log_mixture).exp()
            return (w * ratio * (log_q - centre)).sum(1)

        return self._over_y(covariance)

    def _over_y(self, integrand: Callable[[Tensor], Tensor], nodes: Nodes | None = None) -> Integral:
        """The average over y of integrand(log q_j(y)), which maps (N, M, *batch) to (N, *batch).

        nodes: the values of y; the mixture's own by default.
        """
        if not exporting() and not self.z.numel():
            return exact(torch.zeros_like(self.z[0, ..., 0]))
        # in wide precision: narrow components far from 0 would drown in the rounding of y
        z = self.z.to(wide_dtype(self.z))
        y, weights, method = nodes or self.family.nodes(z, self.weights.to(z.dtype))
        q = self.family(z)
        total = torch.zeros_like(z[0, ..., 0])
        for part in _chunks(len(y), self.z):
            total = total + (weights[part] * integrand(q.log_prob(y[part].unsqueeze(1)))).sum(0)
        (r1, a1), (r2, a2) = NODE_ERROR[method], ATOM_ERROR[self.method]
        return approximate(total.to(self.z.dtype), worst(method, self.method), r1 + r2, a1 + a2)


def _chunks(count: int, z: Tensor) -> Iterator[slice]:
    """Parts of the values of y; a graph, which knows no size of the batch, has parts of a fixed size."""
    step = EXPORTED_CHUNK if exporting() else max(CHUNK // max(z[..., 0].numel(), 1), 1)
    return (slice(start, start + step) for start in range(0, count, step))


registry.register(Family, Atoms)(AtomIntegrals)
