"""Means and intervals, against scipy."""

import math

import numpy as np
import pytest
from scipy import stats

from endd.studies.statistics import estimate, ratio, t_quantile


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 7, 19, 20, 99, 500])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_quantiles_are_scipys(degrees: int, level: float) -> None:
    assert t_quantile(degrees, level) == pytest.approx(stats.t.ppf((1 + level) / 2, degrees), rel=1e-9)


def test_interval_is_scipys() -> None:
    values = np.random.default_rng(0).normal(size=12)
    ours = estimate(values.tolist())
    low, high = stats.t.interval(0.95, 11, values.mean(), stats.sem(values))
    assert ours.mean - ours.half_width == pytest.approx(low)
    assert ours.mean + ours.half_width == pytest.approx(high)


def test_a_ratio_of_means_lies_in_its_interval_as_often_as_it_says() -> None:
    random, inside = np.random.default_rng(0), 0
    for _ in range(1000):
        below = random.normal(2.0, 0.5, size=10)
        ours = ratio((0.9 * below + random.normal(0.0, 0.3, size=10)).tolist(), below.tolist())
        inside += abs(ours.mean - 0.9) <= ours.half_width
    assert 930 < inside < 970


def test_a_ratio_to_nothing_is_named() -> None:
    with pytest.raises(ValueError, match="a mean other than 0"):
        ratio([1.0, 2.0], [1.0, -1.0])


def test_one_value_has_no_interval() -> None:
    alone = estimate([2.0])
    assert alone.mean == 2.0
    assert math.isnan(alone.half_width)


def test_no_value_and_bad_degrees_are_named() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        estimate([])
    with pytest.raises(ValueError, match="degrees of at least 1"):
        t_quantile(0)
