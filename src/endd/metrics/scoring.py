"""How good a prediction is: errors, proper scores and intervals.

>>> probs = torch.tensor([[0.9, 0.1], [0.4, 0.6]])
>>> accuracy(probs, torch.tensor([0, 0]))
tensor(0.5000)
>>> brier(probs, torch.tensor([0, 0]), reduction="none")
tensor([0.0200, 0.7200])
"""

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor
from torch.nn.functional import one_hot

from endd._checks import check_option, check_target
from endd.metrics._inputs import check_labels, check_probs, check_real, double_rows, restore


def rmse(mean: Float[Tensor, "B *D"], y: Real[Tensor, "B *D"]) -> Float[Tensor, ""]:
    """Root mean squared error sqrt(mean (y - mean)^2), over rows and, for vector y, over entries.

    Shapes: mean and y (B,), or both (B, D).
    """
    check_real("mean", mean)
    check_target(y, mean.shape)
    check_real("y", y)
    return restore((y.double() - mean.double()).square().mean().sqrt(), mean, y)


def nll(log_prob: Float[Tensor, "B"], reduction: str = "mean") -> Float[Tensor, "..."]:
    """Negative log-likelihood -log q(y|x), from the log density (or log mass) of the targets.

    Shapes: log_prob (B,) -> () or, with reduction="none", (B,). A target of density 0 gives infinity.
    """
    (value,) = double_rows(log_prob=log_prob)
    if bool((value == torch.inf).any()):
        raise ValueError(
            "Expected `log_prob` below infinity, but got a density without bound. Give q a minimum variance."
        )
    return restore(reduced(-value, reduction), log_prob)


def accuracy(probs: Float[Tensor, "B K"], y: Int[Tensor, "B"]) -> Float[Tensor, ""]:
    """Share of rows whose most probable class is y (the first of them where several are equal)."""
    check_probs(probs)
    check_labels(y, probs)
    return restore((probs.argmax(-1) == y).double().mean(), probs)


def brier(probs: Float[Tensor, "B K"], y: Int[Tensor, "B"], reduction: str = "mean") -> Float[Tensor, "..."]:
    """Brier score sum_k (p_k - 1[y = k])^2, from 0 to 2.

    Shapes: probs (B, K), y (B,) -> () or, with reduction="none", (B,).
    The sum over classes is that of Ovadia et al. (2019); for K = 2 it is twice the binary score.
    """
    check_probs(probs)
    check_labels(y, probs)
    score = (probs.double() - one_hot(y.long(), probs.shape[1])).square().sum(-1)
    return restore(reduced(score, reduction), probs)


def interval_coverage(lower: Float[Tensor, "B"], upper: Float[Tensor, "B"], y: Real[Tensor, "B"]) -> Float[Tensor, ""]:
    """Share of rows with lower <= y <= upper; a 90 % interval should reach .90. All (B,)."""
    low, high, target = double_rows(lower=lower, upper=upper, y=y)
    _check_ordered(low, high)
    return restore(((low <= target) & (target <= high)).double().mean(), lower, upper)


def interval_width(lower: Float[Tensor, "B"], upper: Float[Tensor, "B"]) -> Float[Tensor, ""]:
    """Mean of upper - lower: of two intervals with the same coverage the narrower is better. Both (B,)."""
    low, high = double_rows(lower=lower, upper=upper)
    _check_ordered(low, high)
    return restore(torch.where(low == high, 0.0, high - low).mean(), lower, upper)


def reduced(score: Tensor, reduction: str) -> Tensor:
    """The mean of `score` (B,), or `score` itself."""
    check_option("reduction", reduction, ("mean", "none"))
    return score.mean() if reduction == "mean" else score


def _check_ordered(lower: Tensor, upper: Tensor) -> None:
    wrong = int((lower > upper).sum())
    if wrong:
        raise ValueError(f"Expected lower <= upper, but got lower > upper in {wrong} rows. Swap the two.")
