"""Class distributions with a Dirichlet over the probabilities: everything in closed form."""

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._elementary import digamma
from endd._transforms import wide_dtype
from endd.distributions import Dirichlet
from endd.families import Categorical
from endd.integrals.base import Integrals, registry
from endd.integrals.marginals import CategoricalMarginal
from endd.integrals.result import Integral, exact


class CategoricalDirichlet(Integrals):
    """p ~ Dir(a), a_0 = sum_k a_k, mean p~ = a / a_0. Sums run in wide precision: at a = 1e8 they cancel."""

    def __init__(self, family: Categorical, v: Dirichlet) -> None:
        self.family, self.v = family, v
        self.a = v.concentration.to(wide_dtype(v.concentration))
        self.a0 = self.a.sum(-1, keepdim=True)
        self.mean = self.a / self.a0

    def _result(self, value: Tensor) -> Integral:
        return exact(value.to(self.v.concentration.dtype))

    def marginal(self) -> Distribution:
        """Cat(a / a_0)."""
        log_probs = (self.a.log() - self.a0.log()).to(self.v.concentration.dtype)
        return CategoricalMarginal(self.family, log_probs, "exact")

    def expected_entropy(self) -> Integral:
        """psi(a_0 + 1) - sum_k p~_k psi(a_k + 1), as a sum of terms at least 0."""
        gaps = digamma(self.a0 + 1) - digamma(self.a + 1)
        return self._result((self.mean * gaps).sum(-1))

    def information(self) -> Integral:
        """sum_k p~_k [g(a_k) - g(a_0)] with g(x) = psi(x + 1) - log x, which falls in x: no term is negative."""
        gaps = _digamma_excess(self.a) - _digamma_excess(self.a0)
        return self._result((self.mean * gaps.clamp(min=0)).sum(-1))

    def expected_pairwise_kl(self) -> Integral:
        """(K - 1) / a_0."""
        return self._result((self.a.shape[-1] - 1) / self.a0.squeeze(-1))

    def expected_variance(self) -> Integral:
        """p~ (1 - p~) a_0 / (a_0 + 1)."""
        return self._result(self._label_variance() * self.a0 / (self.a0 + 1))

    def variance_of_mean(self) -> Integral:
        """p~ (1 - p~) / (a_0 + 1)."""
        return self._result(self._label_variance() / (self.a0 + 1))

    def _label_variance(self) -> Tensor:
        return self.mean * (1 - self.mean)

    def expected_log_prob(self, y: Tensor) -> Integral:
        """psi(a_y) - psi(a_0)."""
        y = self.family.as_target(y, self.v.batch_shape, self.a.dtype)
        expected = digamma(self.a) - digamma(self.a0)
        return self._result(expected.gather(-1, y.unsqueeze(-1)).squeeze(-1))


def _digamma_excess(x: Tensor) -> Tensor:
    """psi(x + 1) - log x: about 1 / (2 x), by series where the difference would cancel."""
    r = 1 / x
    series = r / 2 - r.square() / 12 + r**4 / 120
    return torch.where(x > 100, series, digamma(x + 1) - x.log())


registry.register(Categorical, Dirichlet)(CategoricalDirichlet)
