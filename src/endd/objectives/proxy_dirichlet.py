"""Proxy-Dirichlet distillation (Ryabinin, Malinin and Gales 2021): one Dirichlet for the members, learnt backwards."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._checks import describe
from endd._transforms import kl_terms, log_weights, wide_dtype
from endd.distributions import Atoms, Dirichlet
from endd.objectives.base import Objective, check_teacher

# What stands for infinity where members agree to the last digit.
MAX_PRECISION = 1e8


@dataclass(frozen=True)
class ProxyDirichletDistillation(Objective):
    """The reverse KL from the student's Dirichlet to one that was fitted to the members, one added to both.

    The fitted Dirichlet is Dir(b p~): p~ = sum_j w_j p_j, and by Stirling's approximation of the likelihood
    (K - 1) / (2 b) = sum_j w_j KL(p~ || p_j). With one added to the student's concentrations a and to the fitted ones,
    KL(Dir(1 + a) || Dir(1 + c p~)) / c is, but for a constant,

        E[-sum_k p~_k log p_k] + KL(Dir(1 + a) || Dir(1)) / c,   p ~ Dir(1 + a):

    a cross-entropy and a pull to the flat Dirichlet that fades where members agree (c is infinite if they do so
    exactly). It is least at a = c p~, and likely classes weigh most, whereas in the Dirichlet likelihood it is the
    unlikely ones.

    count_ones: c = b + K, the sum of the target's concentrations with its ones, as in the authors' code: the student
    then says a little less disagreement than the fitted Dirichlet, and where b is not far above K much less. False:
    c = b, so that the student itself, without the ones, is the fitted Dirichlet at its best. The authors add 10^-7 to
    2 KL in b; here nothing is added.

    >>> import endd
    >>> v, teacher = Dirichlet(torch.ones(8, 3)), endd.Members(torch.randn(10, 8, 3))
    >>> ProxyDirichletDistillation()(v, teacher).shape
    torch.Size([8])
    """

    count_ones: bool = True

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        """The loss of each example, (B,)."""
        check_teacher(v, teacher)
        return self.on_summary(v, self.summary(v, teacher))

    def summary(self, v: Distribution, teacher: Atoms) -> tuple[Tensor, Tensor]:
        """The fitted Dirichlet: p~ (*batch, K) and 1 / b (*batch,)."""
        return mean_and_inverse_precision(teacher)

    def on_summary(self, v: Distribution, summary: tuple[Tensor, Tensor]) -> Tensor:
        """The loss of each example, (B,)."""
        if not isinstance(v, Dirichlet):
            raise TypeError(f"Expected a student with v=endd.Dirichlet, but got {describe(v)}.")
        # sums of numbers of the size of a log a: at concentrations of 1e8 nothing of a float32 would be left
        wide = wide_dtype(v.concentration)
        a, (probs, inverse) = v.concentration.to(wide), (part.to(wide) for part in summary)
        if self.count_ones:
            inverse = inverse / (1 + a.shape[-1] * inverse)  # 1 / (b + K), also where b is infinite
        surprise = torch.digamma((1 + a).sum(-1, keepdim=True)) - torch.digamma(1 + a)
        return ((probs * surprise).sum(-1) + inverse * _kl_to_flat(a, surprise)).to(v.concentration.dtype)


def _kl_to_flat(a: Tensor, surprise: Tensor) -> Tensor:
    """KL(Dir(1 + a) || Dir(1)), with E[-log p_k] at hand."""
    K = a.shape[-1]
    normaliser = torch.lgamma(K + a.sum(-1)) - torch.lgamma(1 + a).sum(-1) - math.lgamma(K)
    return normaliser - (a * surprise).sum(-1)


def mean_and_inverse_precision(members: Atoms) -> tuple[Tensor, Tensor]:
    """p~ (*batch, K) and 1 / b (*batch,) of the Dirichlet fitted to members over K logits; 0 where they agree."""
    z = members.atoms.to(wide_dtype(members.atoms))
    weights = members.weights.to(z)
    log_probs = z.log_softmax(-1)
    log_mean = torch.logsumexp(log_probs + log_weights(weights).reshape(-1, *[1] * (z.ndim - 1)), 0)
    apart = torch.einsum("m,m...k->...", weights, kl_terms(log_mean.expand_as(log_probs), log_probs))
    inverse = 2 * apart / (z.shape[-1] - 1)
    return log_mean.exp().to(members.atoms.dtype), inverse.to(members.atoms.dtype)


def fitted_dirichlet(members: Atoms) -> Dirichlet:
    """The Dirichlet of the members, Dir(b p~), itself: what a proxy-Dirichlet student would say at its best.

    >>> import endd
    >>> members = endd.Members(Dirichlet(torch.tensor([[30.0, 20.0, 10.0]])).sample((5000,)))
    >>> fitted_dirichlet(members).concentration.round(decimals=-1)
    tensor([[30., 20., 10.]])
    """
    probs, inverse = mean_and_inverse_precision(members)
    concentration = probs / inverse.clamp(min=1 / MAX_PRECISION).unsqueeze(-1)
    return Dirichlet(concentration.clamp(min=torch.finfo(probs.dtype).tiny), validate_args=False)
