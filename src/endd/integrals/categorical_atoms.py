"""Class distributions over weighted atoms: sums over K classes."""

from functools import cached_property

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._elementary import plain_autograd, weigh
from endd._transforms import deviations, entropy_terms, kl_terms, log_softmax, log_weights
from endd.distributions import Atoms
from endd.families import Categorical
from endd.families.categorical import comonotone_covariance
from endd.integrals.base import Integrals, SharedAtoms, registry
from endd.integrals.class_mixture import ClassMixture
from endd.integrals.marginals import CategoricalMarginal
from endd.integrals.result import Integral, from_atoms


class CategoricalAtoms(Integrals):
    """Everything from the atoms' log probabilities (M, *batch, K), computed once."""

    def __init__(self, family: Categorical, v: Atoms, method: str = "exact") -> None:
        self._shared = isinstance(v, SharedAtoms)
        v = v.without_zero_weights()
        self.family, self.weights, self.z, self.method = family, v.weights, v.atoms, method

    @cached_property
    def _log_probs(self) -> Tensor:
        return log_softmax(self.family.logits(self.z))

    @cached_property
    def _probs(self) -> Tensor:
        return self._log_probs.exp()

    @cached_property
    def _with_gradients(self) -> tuple[Tensor, Tensor] | None:
        """log p~ and the information of several atoms, where gradients of z alone are wanted, on a CPU."""
        several = len(self.z) > 1 and self.z.device.type == "cpu" and plain_autograd()
        wanted = several and torch.is_grad_enabled() and self.z.requires_grad and not self.weights.requires_grad
        if not wanted or not bool((self.weights > 0).all()):
            return None
        logits = self.family.logits(self.z)
        log_probs, information, *_ = ClassMixture.apply(logits, self.weights)  # type: ignore[no-untyped-call]
        return log_probs, information

    @cached_property
    def _marginal_log_probs(self) -> Tensor:
        # alone it is faster by plain operations
        if self._shared and self._with_gradients is not None:
            return self._with_gradients[0]
        log_w = log_weights(self.weights).reshape(-1, *[1] * (self.z.ndim - 1))
        return torch.logsumexp(self._log_probs + log_w, 0)

    def _average(self, values: Tensor) -> Tensor:
        return weigh(values.movedim(0, -1), self.weights)

    def _result(self, value: Tensor) -> Integral:
        return from_atoms(value, self.method)

    def marginal(self) -> Distribution:
        """Cat(sum_j w_j p_j)."""
        return CategoricalMarginal(self.family, self._marginal_log_probs, self.method)

    def probabilities(self) -> Tensor:
        """sum_j w_j p_j."""
        return self._marginal_log_probs.exp()

    def expected_entropy(self) -> Integral:
        """-sum_j w_j sum_k p_jk log p_jk."""
        return self._result(self._average(entropy_terms(self._log_probs).sum(-1)))

    def information(self) -> Integral:
        """sum_j w_j KL(p_j || p~)."""
        if self._with_gradients is not None:
            return self._result(self._with_gradients[1])
        return self._result(self._average(kl_terms(self._log_probs, self._marginal_log_probs).sum(-1)))

    def expected_pairwise_kl(self) -> Integral:
        """sum_k Cov_j(p_jk, log p_jk)."""
        return self._result(comonotone_covariance(self._log_probs, self.weights).sum(-1))

    def expected_variance(self) -> Integral:
        """sum_j w_j p_jk (1 - p_jk)."""
        return self._result(self._average(self._probs * (1 - self._probs)))

    def variance_of_mean(self) -> Integral:
        """sum_j w_j (p_jk - p~_k)^2."""
        return self._result(self._average(deviations(self._probs, self.weights).square()))

    def expected_log_prob(self, y: Tensor) -> Integral:
        """sum_j w_j log p_jy."""
        y = self.family.as_target(y, self.z.shape[1:-1], self.z.dtype)
        expected = self._average(self._log_probs)
        return self._result(expected.gather(-1, y.unsqueeze(-1)).squeeze(-1))


registry.register(Categorical, Atoms)(CategoricalAtoms)
