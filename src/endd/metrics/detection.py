"""Do scores tell out-of-distribution rows (the positive class, higher scores) from in-distribution ones?

Scores are any real numbers, infinity included: only their order counts, nothing squeezes them into [0, 1].

>>> scores_in, scores_out = torch.tensor([-3.0, 0.0, 2.0]), torch.tensor([1.0, 40.0])
>>> auroc(scores_in, scores_out)
tensor(0.8333)
>>> fpr95(scores_in, scores_out)
tensor(0.3333)
"""

import torch
from jaxtyping import Float
from torch import Tensor

from endd.metrics._inputs import double_rows, restore
from endd.metrics._ranks import mid_ranks


def auroc(scores_in: Float[Tensor, "N"], scores_out: Float[Tensor, "L"]) -> Float[Tensor, ""]:
    """Area under the ROC curve: P(out > in) + 1/2 P(out = in), by the sum of mid-ranks.

    Shapes: scores_in (N,), scores_out (L,). Reference: Mann and Whitney (1947).
    """
    inside, outside = _scores(scores_in, scores_out)
    N, L = len(inside), len(outside)
    rank_sum = mid_ranks(torch.cat([inside, outside]))[N:].sum()
    return restore((rank_sum - L * (L + 1) / 2) / (N * L), scores_in, scores_out)


def aupr(scores_in: Float[Tensor, "N"], scores_out: Float[Tensor, "L"]) -> Float[Tensor, ""]:
    """Average precision sum_n (R_n - R_(n-1)) P_n over distinct scores, highest first, as in scikit-learn.

    Shapes: scores_in (N,), scores_out (L,). Out-of-distribution rows are the positive class.
    """
    inside, outside = _scores(scores_in, scores_out)
    hits, alarms = _found(inside, outside)
    precision = hits / (hits + alarms)
    gain = torch.diff(hits, prepend=hits.new_zeros(1)) / len(outside)
    return restore((gain * precision).sum(), scores_in, scores_out)


def fpr95(scores_in: Float[Tensor, "N"], scores_out: Float[Tensor, "L"]) -> Float[Tensor, ""]:
    """Share of in-distribution rows flagged at the highest threshold that flags at least 95 % of the others.

    Shapes: scores_in (N,), scores_out (L,). No interpolation between thresholds.
    """
    inside, outside = _scores(scores_in, scores_out)
    hits, alarms = _found(inside, outside)
    # Whole numbers: 0.95 L is not always a float where it should be an integer.
    first = (20 * hits >= 19 * len(outside)).int().argmax()
    return restore(alarms[first] / len(inside), scores_in, scores_out)


def _scores(scores_in: Tensor, scores_out: Tensor) -> tuple[Tensor, Tensor]:
    (inside,), (outside,) = double_rows(scores_in=scores_in), double_rows(scores_out=scores_out)
    return inside, outside


def _found(inside: Tensor, outside: Tensor) -> tuple[Tensor, Tensor]:
    """Numbers of out and of in rows at or above each distinct score, from the highest score down."""
    values, block = torch.unique(torch.cat([inside, outside]), return_inverse=True)
    split = block[len(inside) :], block[: len(inside)]
    counts = (torch.bincount(part, minlength=len(values)) for part in split)
    hits, alarms = (count.flip(0).cumsum(0).double() for count in counts)
    return hits, alarms
