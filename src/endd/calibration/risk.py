"""Selection with guaranteed risk (Geifman and El-Yaniv 2017)."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from endd.calibration.bounds import risk_bound
from endd.calibration.order import check_scores, check_share

#: Shares of the rows that are tried, fixed before any loss is seen.
SHARES = 20


class Selected(NamedTuple):
    """Rows with an uncertainty below `limit` are kept; the bound on their risk, and their share of the rows."""

    limit: float
    bound: float
    coverage: float


def risk_threshold(
    uncertainty: Tensor, losses: Tensor, risk: float, delta: float, loss_range: tuple[float, float] | None = None
) -> Selected:
    """The largest limit with E[loss | uncertainty < limit] <= risk, but for a part delta of all validation sets.

    Tried are the limits u_(k + 1) with k = n j / 20, j = 1..20 (the last is infinity). Given its value, the rows
    strictly below a limit are independent draws from what it keeps, equal uncertainties or not, so that a bound on
    their mean at level delta / 20 holds; all 20 hold together with probability 1 - delta, and any may be picked.
    Geifman and El-Yaniv try log2 n limits by halves, of which each depends on losses seen before; limits fixed in
    advance cost next to nothing in the bound and make the union over them exact. The bound is that of Clopper and
    Pearson for losses that are 0 or 1, else, in a `loss_range` that losses cannot leave, that of Hoeffding and
    Bentkus: see `endd.calibration.bounds`.

    >>> chosen = risk_threshold(torch.arange(200.0), (torch.arange(200.0) >= 150).double(), risk=0.1, delta=0.05)
    >>> chosen.limit, round(chosen.bound, 4), chosen.coverage
    (150.0, 0.0392, 0.75)
    """
    uncertainty, losses = check_scores("uncertainty", uncertainty), check_scores("losses", losses)
    check_share("delta", delta)
    _check_range(losses, risk, loss_range)
    tried = [_bounded(limit, uncertainty, losses, delta / SHARES, loss_range) for limit in _limits(uncertainty)]
    kept = [one for one in tried if one.bound <= risk]
    if not kept:
        best = min(tried, key=lambda one: one.bound)
        raise ValueError(
            f"Expected a risk that some threshold keeps, but of {len(losses)} rows the lowest bound is "
            f"{best.bound:.4g} (at coverage {best.coverage:.2g}), not {risk:g}. "
            "Allow more risk or a larger delta, or give more rows."
        )
    return max(kept, key=lambda one: one.coverage)


def _limits(uncertainty: Tensor) -> list[float]:
    ranked = torch.cat([uncertainty.sort().values, uncertainty.new_full((1,), math.inf)])
    return [float(ranked[len(uncertainty) * j // SHARES]) for j in range(1, SHARES + 1)]


def _bounded(
    limit: float, uncertainty: Tensor, losses: Tensor, delta: float, loss_range: tuple[float, float] | None
) -> Selected:
    below = uncertainty < limit if limit < math.inf else torch.ones_like(uncertainty, dtype=torch.bool)
    if not bool(below.any()):
        return Selected(limit, math.inf, 0.0)
    return Selected(limit, risk_bound(losses[below].numpy(force=True), delta, loss_range), float(below.double().mean()))


def _check_range(losses: Tensor, risk: float, loss_range: tuple[float, float] | None) -> None:
    low, high = loss_range or (0.0, 1.0)
    if not low < high < math.inf or not low > -math.inf:
        raise ValueError(f"Expected `loss_range` as two finite numbers, the lower first, but got {loss_range}.")
    if not low < risk < high:
        raise ValueError(f"Expected `risk` between {low:g} and {high:g}, the range of the loss, but got {risk!r}.")
    if loss_range is None and not bool(((losses == 0) | (losses == 1)).all()):
        raise ValueError("Expected losses that are 0 or 1, but got others. Say in which `loss_range` they lie.")
    least, most = float(losses.min()), float(losses.max())
    if not low <= least <= most <= high:
        raise ValueError(f"Expected losses from {low:g} to {high:g}, but got losses from {least:.4g} to {most:.4g}.")
