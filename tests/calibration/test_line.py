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


def test_where_the_loss_breaks_down_it_is_not_looked_for() -> None:
    assert best_positive(lambda c: math.nan if c < 0.5 else (c - 1) ** 2) == pytest.approx(1, rel=1e-5)
