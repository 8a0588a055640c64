"""The best of one positive number: a search over its logarithm."""

import math
from collections.abc import Callable

from scipy.optimize import minimize_scalar

LOW, HIGH, STEPS = -6.0, 6.0, 25


def best_positive(loss: Callable[[float], float]) -> float:
    """The number between e^-6 and e^6 with the least loss.

    A mixture's likelihood may have several maxima: the best of 25 points is found first, then the best around it.

    >>> round(best_positive(lambda c: c - 2 * math.log(c)), 4)
    2.0
    """

    def at(place: float) -> float:
        found = loss(math.exp(place))
        return math.inf if math.isnan(found) else found

    step = (HIGH - LOW) / (STEPS - 1)
    start = min((LOW + step * place for place in range(STEPS)), key=at)
    bounds = (max(start - step, LOW), min(start + step, HIGH))
    return math.exp(float(minimize_scalar(at, bounds=bounds, method="bounded", options={"xatol": 1e-7}).x))
