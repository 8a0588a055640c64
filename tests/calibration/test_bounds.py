"""Bounds on a mean against scipy, by hand, and over many samples."""

import numpy as np
import pytest
from scipy.stats import binomtest

from endd.calibration.bounds import clopper_pearson, hoeffding_bentkus, risk_bound

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize(("errors", "rows"), [(0, 30), (3, 50), (49, 50), (50, 50), (0, 1)])
def test_clopper_pearson_is_scipys(errors: int, rows: int) -> None:
    expected = binomtest(errors, rows, alternative="less").proportion_ci(0.95, method="exact").high
    assert clopper_pearson(errors, rows, 0.05) == pytest.approx(expected, rel=1e-9)


def test_without_errors_it_is_in_closed_form() -> None:
    assert clopper_pearson(0, 100, 0.01) == pytest.approx(1 - 0.01 ** (1 / 100))
    # Hoeffding's p-value is then (1 - r)^n as well
    assert hoeffding_bentkus(0.0, 100, 0.01) == pytest.approx(1 - 0.01 ** (1 / 100), rel=1e-6)


def test_the_general_bound_is_above_the_exact_one_and_not_far() -> None:
    for errors, rows in ((1, 40), (10, 200), (150, 1000)):
        exact, general = clopper_pearson(errors, rows, 0.05), hoeffding_bentkus(errors / rows, rows, 0.05)
        assert exact <= general <= 1.5 * exact
    assert hoeffding_bentkus(1.0, 10, 0.05) == 1
    assert hoeffding_bentkus(0.9, 2, 0.05) == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("variance", [0.001, 0.0196])
def test_for_some_hundred_rows_empirical_bernstein_is_wider(variance: float) -> None:
    """That of Maurer and Pontil (2009), at the level of one of 20 bounds that hold together."""
    rows, log = 300, np.log(2 / 0.0025)
    bernstein = 0.02 + np.sqrt(2 * variance * log / rows) + 7 * log / (3 * (rows - 1))
    assert hoeffding_bentkus(0.02, rows, 0.0025) < bernstein


@pytest.mark.parametrize("rows", [20, 200])
@pytest.mark.parametrize("a", [0.2, 2.0])
def test_it_holds_as_often_as_it_says(rows: int, a: float) -> None:
    """Beta losses with mean 1/4, in the range of 10 to 30."""
    losses = 10 + 20 * RANDOM.beta(a, 3 * a, (2000, rows))
    low = np.mean([risk_bound(each, 0.1, (10.0, 30.0)) < 15 for each in losses])
    assert low <= 0.1 + 0.015


def test_clopper_pearson_holds_as_often_as_it_says() -> None:
    losses = RANDOM.binomial(1, 0.15, (4000, 60)).astype(float)
    low = np.mean([risk_bound(each, 0.1, None) < 0.15 for each in losses])
    assert low <= 0.1 + 0.01
