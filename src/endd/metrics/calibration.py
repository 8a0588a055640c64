"""Do stated probabilities come true? Expected calibration errors and the reliability diagram.

Every binned error is sum_s |B_s| / B |acc(B_s) - conf(B_s)|: with the sizes cancelled, the sum of
|sum of hits - sum of confidences| over bins, divided by B. Rows of equal confidence always share a bin.

>>> probs = torch.tensor([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]])
>>> ece(probs, torch.tensor([0, 1, 0]))
tensor(0.4000)
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from endd.metrics._inputs import check_labels, check_probs, double_rows, restore
from endd.metrics._ranks import mid_ranks

LEVELS = tuple(i / 20 for i in range(1, 20))


class Reliability(NamedTuple):
    """Rows, mean confidence and accuracy of every bin (lower, upper]; both means are 0 in an empty bin."""

    count: Int[Tensor, "bins"]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    confidence: Float[Tensor, "bins"]
    accuracy: Float[Tensor, "bins"]
    lower: Float[Tensor, "bins"]
    upper: Float[Tensor, "bins"]


def ece(probs: Float[Tensor, "B K"], y: Int[Tensor, "B"], bins: int = 15) -> Float[Tensor, ""]:
    """Expected calibration error of the top class, on `bins` bins (lo, hi] of equal width (Guo et al., 2017).

    Shapes: probs (B, K), y (B,). A confidence of 0 belongs to the first bin.
    """
    confidence, hit = _top(probs, y)
    bin_of = torch.bucketize(confidence, _edges(bins, confidence)[1:-1])
    return restore(_error(bin_of, bins, confidence, hit), probs)


def ece_adaptive(probs: Float[Tensor, "B K"], y: Int[Tensor, "B"], bins: int = 15) -> Float[Tensor, ""]:
    """The same on bins of equal mass: a row at mid-rank r of B falls into bin floor((r - 1/2) bins / B).

    Shapes: probs (B, K), y (B,). Ties stay together, so that bins may differ in size.
    Reference: Nguyen and O'Connor (2015).
    """
    confidence, hit = _top(probs, y)
    _check_bins(bins)
    bin_of = ((mid_ranks(confidence) - 0.5) * bins / len(confidence)).long()
    return restore(_error(bin_of, bins, confidence, hit), probs)


def ece_quartile(probs: Float[Tensor, "B K"], y: Int[Tensor, "B"]) -> Float[Tensor, ""]:
    """The same on the four bins (lo, hi] of Lindqvist et al. (2020): edges 0, quartiles of confidence, 1.

    Shapes: probs (B, K), y (B,). Equal quartiles leave the bins between them empty: every row counts once.
    """
    confidence, hit = _top(probs, y)
    shares = torch.tensor([0.25, 0.5, 0.75], dtype=torch.float64, device=probs.device)
    quartiles = confidence.double().quantile(shares)
    bin_of = torch.bucketize(confidence.double(), quartiles)
    return restore(_error(bin_of, 4, confidence, hit), probs)


def ece_classwise(probs: Float[Tensor, "B K"], y: Int[Tensor, "B"], bins: int = 15) -> Float[Tensor, ""]:
    """Mean over classes k of sum_s |B_s| / B |share of y = k in B_s - mean p_k in B_s| (Kull et al., 2019).

    Shapes: probs (B, K), y (B,). Bins (lo, hi] of equal width on p_k.
    """
    check_probs(probs)
    check_labels(y, probs)
    K = probs.shape[1]
    classes = torch.arange(K, device=probs.device)
    bin_of = torch.bucketize(probs.contiguous(), _edges(bins, probs)[1:-1]) + classes * bins
    hit = y.unsqueeze(-1) == classes
    # Every class has B entries of the B K: the mean over entries is the mean over classes of the error.
    return restore(_error(bin_of.flatten(), K * bins, probs.flatten(), hit.flatten()), probs)


def reliability(probs: Float[Tensor, "B K"], y: Int[Tensor, "B"], bins: int = 15) -> Reliability:
    """What a reliability diagram draws, on the bins of `ece`.

    Shapes: probs (B, K), y (B,) -> five tensors (bins,).
    """
    confidence, hit = _top(probs, y)
    edges = _edges(bins, confidence)
    bin_of = torch.bucketize(confidence, edges[1:-1])
    count = torch.bincount(bin_of, minlength=bins)
    sums = (_sums(bin_of, bins, confidence), _sums(bin_of, bins, hit))
    mean_confidence, accuracy = (restore(total / count.clamp_min(1), probs) for total in sums)
    lower, upper = (restore(side, probs) for side in (edges[:-1], edges[1:]))
    return Reliability(count, mean_confidence, accuracy, lower, upper)


def calibration_error_quantile(cdf_values: Float[Tensor, "B"], levels: Sequence[float] = LEVELS) -> Float[Tensor, ""]:
    """Mean over levels u of |share of rows with F(y) <= u - u| (Kuleshov et al., 2018, in absolute value).

    Shapes: cdf_values F(y|x) (B,), uniform on [0, 1] under a calibrated model.
    Default levels: .05, .10, ..., .95.
    """
    (values,) = double_rows(cdf_values=cdf_values)
    if bool((values < 0).any()) or bool((values > 1).any()):
        raise ValueError(
            f"Expected `cdf_values` in [0, 1], but got values from {float(values.min()):.4g} to "
            f"{float(values.max()):.4g}. Give marginal.cdf(y), not y."
        )
    if not len(levels) or not all(0 < level < 1 for level in levels):
        raise ValueError(f"Expected `levels` strictly between 0 and 1, but got {levels!r}. Give (0.1, 0.5, 0.9).")
    # Rounded as the values are: a float32 value of 0.1 is meant to reach the level 0.1.
    nominal = torch.as_tensor(levels, dtype=torch.float64, device=values.device)
    rounded = restore(nominal, cdf_values).double()
    observed = torch.searchsorted(values.sort().values, rounded, right=True).double() / len(values)
    return restore((observed - nominal).abs().mean(), cdf_values)


def _top(probs: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    check_probs(probs)
    check_labels(y, probs)
    confidence, label = probs.max(-1)
    return confidence, label == y


def _edges(bins: int, like: Tensor) -> Tensor:
    """Edges 0, 1/bins, ..., 1 rounded as the confidences are, so that 0.2 lies on edge 0.2 in any dtype."""
    _check_bins(bins)
    return (torch.arange(bins + 1, dtype=torch.float64, device=like.device) / bins).to(like.dtype)


def _check_bins(bins: int) -> None:
    if bins < 1:
        raise ValueError(f"Expected `bins` of at least 1, but got {bins}. The usual number is 15.")


def _sums(bin_of: Tensor, bins: int, values: Tensor) -> Tensor:
    return torch.zeros(bins, dtype=torch.float64, device=values.device).index_add_(0, bin_of, values.double())


def _error(bin_of: Tensor, bins: int, confidence: Tensor, hit: Tensor) -> Tensor:
    return _sums(bin_of, bins, hit.double() - confidence.double()).abs().sum() / len(bin_of)
