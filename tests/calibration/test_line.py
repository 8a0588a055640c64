"""The search for one positive number."""

import math

import pytest

from endd.calibration.line import best_positive


@pytest.mark.parametrize("best", [0.01, 0.9, 1.0, 37.0])
def test_the_minimum_is_found(best: float) -> None:
    assert best_positive(lambda c: best / c + math.log(c)) == pytest.approx(best, rel=1e-5)


def test_the_better_of_two_minima() -> None:
    assert best_positive(lambda c: min((c - 0.2) ** 2, (c - 5) ** 2 - 1)) == pytest.approx(5, rel=1e-5)


def test_the_better_of_two_minima_close_to_each_other() -> None:
    def loss(c: float) -> float:
        return (c - 2) ** 2 - 0.01 * math.exp(-(((c - 2.06) / 0.01) ** 2))

    assert best_positive(loss) == pytest.approx(2.06, abs=0.001)


def test_no_point_that_was_looked_at_is_better() -> None:
    """A dent so narrow that the last search misses it, at a point of the row."""
    dent = math.exp(-6 + 0.5 * 13 + 0.02 * 3)

    def loss(c: float) -> float:
        return (math.log(c) - 0.5) ** 2 - (1.0 if abs(c / dent - 1) < 1e-6 else 0.0)

    assert best_positive(loss) == pytest.approx(dent)


def test_where_the_loss_breaks_down_it_is_not_looked_for() -> None:
    assert best_positive(lambda c: math.nan if c < 0.5 else (c - 1) ** 2) == pytest.approx(1, rel=1e-5)
