"""The order statistic behind every exchangeability guarantee."""

import math

import numpy as np
from scipy.stats import beta
from torch import Tensor

from endd._checks import describe


def check_scores(name: str, scores: Tensor) -> Tensor:
    """Scores (n,) in float64 without NaN; infinity may pass."""
    if scores.ndim != 1 or not len(scores):
        raise ValueError(f"Expected {name} of shape (n,) with at least one row, but got {describe(scores)}.")
    missing = int(scores.isnan().sum())
    if missing:
        raise ValueError(f"Expected {name} without NaN, but got NaN in {missing} of {len(scores)} rows. Drop them.")
    return scores.double()


def order_threshold(name: str, scores: Tensor, level: float, delta: float | None = None) -> float:
    """The threshold t, one of n scores, that a further exchangeable score stays at or below with probability `level`.

    t is the k-th smallest with k = ceil((n + 1) level): P(new <= t) >= k / (n + 1) >= level, and below
    level + 1 / (n + 1) unless scores are equal. That is an average over validation sets. With delta the share of all
    rows at or below t is `level` at least for all but a part delta of the validation sets of independent rows: it is
    never less likely to be large than a Beta(k, n + 1 - k) number, and k is the least whose delta-quantile reaches it.

    >>> import torch
    >>> order_threshold("scores", torch.arange(1.0, 10.0), 0.8)
    8.0
    """
    scores = check_scores(name, scores)
    check_share("level", level)
    n = len(scores)
    # a product such as 10 * 0.8 may lie a rounding above the whole number that is meant
    rank = math.ceil((n + 1) * level - 1e-9)
    if delta is not None:
        check_share("delta", delta)
        ranks = np.arange(rank, n + 1)
        rank += int((beta.ppf(delta, ranks, n + 1 - ranks) < level).sum())  # the quantile rises with the rank
    if rank > n:
        needed = math.ceil(level / (1 - level) - 1e-9 if delta is None else math.log(delta) / math.log(level))
        raise ValueError(f"Expected at least {needed} rows of {name} for a level of {level:g}, but got {n}.")
    return float(scores.sort().values[rank - 1])


def check_share(name: str, value: float) -> None:
    """Raise unless a number lies strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ValueError(f"Expected `{name}` between 0 and 1, but got {value!r}.")
