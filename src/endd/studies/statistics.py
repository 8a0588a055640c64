"""A mean over seeds with its confidence interval.

>>> print(estimate([0.1, 0.2, 0.3]))
0.2 +- 0.248
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

LEVEL = 0.95
# Halvings of an interval of length pi / 2: far below the rounding unit.
BISECTIONS = 60


@dataclass(frozen=True)
class Estimate:
    """mean +- half_width, from `count` values; the half-width of a single value is NaN."""

    mean: float
    half_width: float
    count: int

    def __str__(self) -> str:
        return f"{self.mean:.3g} +- {self.half_width:.3g}"


def estimate(values: Sequence[float], level: float = LEVEL) -> Estimate:
    """mean +- t s / sqrt(n), with s the sample standard deviation and t Student's quantile for n - 1."""
    n = len(values)
    if n == 0:
        raise ValueError("Expected at least one value, but got none.")
    mean = math.fsum(values) / n
    if n == 1:
        return Estimate(mean, math.nan, 1)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    return Estimate(mean, t_quantile(n - 1, level) * deviation / math.sqrt(n), n)


def ratio(of: Sequence[float], to: Sequence[float], level: float = LEVEL) -> Estimate:
    """r = mean(a) / mean(b) of values paired by seed, +- the half-width of a - r b over |mean(b)| (linearised).

    >>> print(ratio([1.0, 2.0, 4.0], [2.0, 4.0, 8.0]))
    0.5 +- 0
    """
    above, below = estimate(of, level).mean, estimate(to, level).mean
    if below == 0:
        raise ValueError("Expected values to divide by with a mean other than 0, but it is 0.")
    r = above / below
    rest = estimate([a - r * b for a, b in zip(of, to, strict=True)], level)
    return Estimate(r, rest.half_width / abs(below), rest.count)


def t_quantile(degrees: int, level: float = LEVEL) -> float:
    """t with P(|T| <= t) = level for Student's T with whole degrees of freedom, by bisection on atan(t / sqrt(n)).

    >>> round(t_quantile(19), 3)
    2.093
    """
    if degrees < 1 or not 0 < level < 1:
        raise ValueError(f"Expected degrees of at least 1 and a level between 0 and 1, but got {degrees}, {level}.")
    low, high = 0.0, math.pi / 2
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _inside(middle, degrees) < level else (low, middle)
    return math.tan(low) * math.sqrt(degrees)


def _inside(angle: float, degrees: int) -> float:
    """P(|T| <= t) at angle = atan(t / sqrt(n)), in closed form (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term, total = (cosine if odd else 1.0), 0.0
    for power in range(odd, degrees - 1, 2):
        total += term
        term *= cosine**2 * (power + 1) / (power + 2)
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
