"""Upper bounds on a mean from n independent losses, each of which holds with probability 1 - delta."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import beta, binom


def clopper_pearson(errors: int, rows: int, delta: float) -> float:
    """The largest chance of an error that still gives at most so many errors with probability delta.

    Exact for losses that are 0 or 1: the (1 - delta)-quantile of Beta(errors + 1, rows - errors).

    >>> round(clopper_pearson(0, 59, 0.05), 4)  # the rule of three
    0.0495
    """
    return 1.0 if errors >= rows else float(beta.ppf(1 - delta, errors + 1, rows - errors))


def hoeffding_bentkus(mean: float, rows: int, delta: float) -> float:
    """The same for losses in [0, 1] with this mean (Bates et al. 2021, Learn then Test).

    Of a risk r the p-value is the smaller of Hoeffding's exp(-n KL(mean, r)) and Bentkus's e P(Bin(n, r) <= n mean),
    rounded up; the bound is the r at which it is delta. It needs nothing of the losses but their range, and is close
    to the exact bound where they are nearly 0 or 1. An empirical Bernstein bound is wider for some hundred rows, and
    narrower for thousands if the losses vary little.

    >>> round(hoeffding_bentkus(0.1, 1000, 0.05), 3)
    0.122
    """
    if mean >= 1:
        return 1.0

    def excess(risk: float) -> float:
        return _log_p_value(mean, risk, rows) - math.log(delta)

    return 1.0 if excess(1 - 1e-12) > 0 else float(brentq(excess, mean, 1 - 1e-12, xtol=1e-12))


def _log_p_value(mean: float, risk: float, rows: int) -> float:
    """log p of the hypothesis that the mean of the losses is `risk` or more, for risk >= mean."""
    hoeffding = -rows * _divergence(mean, risk)
    with np.errstate(divide="ignore"):
        bentkus = 1 + float(binom.logcdf(math.ceil(rows * mean - 1e-9), rows, risk))
    return min(hoeffding, bentkus, 0.0)


def _divergence(p: float, q: float) -> float:
    """KL(Bernoulli(p) || Bernoulli(q)), infinite where q leaves no room for p."""
    parts = ((p, q), (1 - p, 1 - q))
    if any(b <= 0 < a for a, b in parts):
        return math.inf
    return sum(a * math.log(a / b) for a, b in parts if a > 0)


def risk_bound(losses: NDArray[np.float64], delta: float, loss_range: tuple[float, float] | None) -> float:
    """The bound for independent losses: Clopper and Pearson's for 0 and 1, else Hoeffding and Bentkus's in a range."""
    if loss_range is None:
        return clopper_pearson(int(losses.sum()), len(losses), delta)
    low, high = loss_range
    mean = float(((losses - low) / (high - low)).mean())
    return low + (high - low) * hoeffding_bentkus(mean, len(losses), delta)
