"""The best of one positive number: a search over its logarithm."""

import math
from collections.abc import Callable

from scipy.optimize import minimize_scalar

LOW, HIGH, STEPS = -6.0, 6.0, (0.5, 0.02)


def best_positive(loss: Callable[[float], float]) -> float:
    """The number between e^-6 and e^6 with the least loss.

    A mixture's likelihood may have several maxima, a few hundredths apart where one row has a sharp peak: the best of a
    coarse row of points is found first, then of a fine one around it, then the best around that.

    >>> round(best_positive(lambda c: c - 2 * math.log(c)), 4)
    2.0
    """

    def at(place: float) -> float:
        found = loss(math.exp(place))
        return math.inf if math.isnan(found) else found

    low, high = LOW, HIGH
    for step in STEPS:
        best = min((low + step * place for place in range(round((high - low) / step) + 1)), key=at)
        low, high = max(best - step, LOW), min(best + step, HIGH)
    refined = float(minimize_scalar(at, bounds=(low, high), method="bounded", options={"xatol": 1e-7}).x)
    return math.exp(min(refined, best, key=at))
