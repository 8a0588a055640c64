"""How far one prediction is from another: KL(p || q), never negative, exact where that is possible.

>>> log_p, log_q = torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[0.9, 0.1]]).log()
>>> kl_categorical(log_p, log_q)
tensor([0.5108])
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.distributions import (
    Bernoulli,
    Categorical,
    Distribution,
    MultivariateNormal,
    Normal,
    kl_divergence,
)
from torch.nn.functional import logsigmoid

from endd._checks import describe
from endd.metrics._expectation import log_density, points, support
from endd.metrics._inputs import check_probs, check_real, restore


def kl_categorical(log_p: Float[Tensor, "B K"], log_q: Float[Tensor, "B K"]) -> Float[Tensor, "B"]:
    """KL(p || q) = sum_k p (d - 1 + e^-d), d = log p - log q: no term can be negative, and sum p = sum q.

    Shapes: two tensors of log-probabilities (B, K) -> (B,). Infinite where q = 0 < p; p = 0 is fine.
    """
    for name, value in {"log_p": log_p, "log_q": log_q}.items():
        check_real(name, value)
        check_probs(value.exp(), f"{name}.exp()")
    if log_p.shape != log_q.shape:
        raise ValueError(
            f"Expected `log_p` and `log_q` of one shape (B, K), but got {tuple(log_p.shape)} and "
            f"{tuple(log_q.shape)}. Give both for the same rows and classes."
        )
    a, b = log_p.double(), log_q.double()
    empty, never = a == -torch.inf, b == -torch.inf
    d = torch.where(empty | never, 0.0, a - b)
    term = torch.where(d.abs() > 1, a.exp() * (d - 1) + b.exp(), a.exp() * _excess(d))
    term = torch.where(never, torch.inf, term)
    return restore(torch.where(empty, b.exp(), term).sum(-1), log_p, log_q)


def kl_marginal(p: Distribution, q: Distribution) -> Float[Tensor, "B"]:
    """KL(p || q) = E_p[log p(y) - log q(y)] of two predictives for the same y, batch (B,) -> (B,) in float64.

    Exact for two Categorical, Bernoulli, Normal or MultivariateNormal, from the log-probabilities they state.
    Otherwise a deterministic sum over points of p, clamped at 0: the nodes of each component of a mixture of
    normals, all counts, quantiles where p has icdf, else draws under a fixed seed (`_expectation.points`).
    """
    _check_pair(p, q)
    if isinstance(p, Categorical) and isinstance(q, Categorical):
        return kl_categorical(p.logits.double(), q.logits.double())
    if isinstance(p, Bernoulli) and isinstance(q, Bernoulli):
        return kl_categorical(_two_classes(p), _two_classes(q))
    if isinstance(p, Normal) and isinstance(q, Normal):
        return kl_divergence(_double(p), _double(q)).clamp_min(0)
    if isinstance(p, MultivariateNormal) and isinstance(q, MultivariateNormal):
        return kl_divergence(p, q).double().clamp_min(0)
    log_p, log_q = log_density(p), log_density(q)
    # A weight of 0 beside an infinite log density counts as 0.
    gains = (torch.where(w > 0, w * (log_p(y) - log_q(y)), 0.0).sum(0) for w, y in points(p))
    return sum(gains, start=torch.zeros((), dtype=torch.float64)).clamp_min(0)


def _excess(d: Tensor) -> Tensor:
    """d - 1 + e^-d >= 0, by its series where the difference would be lost to rounding."""
    series = d.square() * (1 / 2 - d / 6 + d**2 / 24 - d**3 / 120 + d**4 / 720)
    return torch.where(d.abs() < 1e-2, series, d + torch.expm1(-d))


def _two_classes(p: Bernoulli) -> Tensor:
    logits = p.logits.double()
    return torch.stack([logsigmoid(-logits), logsigmoid(logits)], -1)


def _double(p: Normal) -> Normal:
    return Normal(p.loc.double(), p.scale.double())


def _check_pair(p: Distribution, q: Distribution) -> None:
    for name, value in {"p": p, "q": q}.items():
        if not isinstance(value, Distribution) or len(value.batch_shape) != 1:
            raise TypeError(
                f"Expected `{name}` to be a torch Distribution of batch (B,), but got {describe(value)}. "
                "Use endd.marginal(family, v)."
            )
    if p.batch_shape != q.batch_shape or p.event_shape != q.event_shape:
        raise ValueError(
            f"Expected `p` and `q` over the same rows, but got batch {tuple(p.batch_shape)} event "
            f"{tuple(p.event_shape)} and batch {tuple(q.batch_shape)} event {tuple(q.event_shape)}. "
            "Predict the same inputs with both."
        )
    of_p, of_q = support(p), support(q)
    if of_p is not None and of_q is not None and of_p.is_discrete != of_q.is_discrete:
        raise TypeError(
            f"Expected `p` and `q` over one kind of y, but got {type(p).__name__} and {type(q).__name__}. "
            "Compare two discrete or two continuous predictives."
        )
