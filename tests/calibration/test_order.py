"""Order statistics, and what they promise over many validation sets."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import beta

from endd.calibration import order_threshold

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("n", "level", "rank"), [(9, 0.8, 8), (9, 0.9, 9), (99, 0.95, 95), (10, 0.5, 6), (19, 0.95, 19)]
)
def test_ranks_by_hand(n: int, level: float, rank: int) -> None:
    scores = torch.tensor(RANDOM.permutation(n) + 1.0)
    assert order_threshold("scores", scores, level) == rank


def test_a_further_row_stays_below_as_often_as_promised() -> None:
    """Uniform scores: the share below a threshold is the threshold itself."""
    n, level = 39, 0.85
    found = [order_threshold("u", torch.tensor(RANDOM.random(n)), level) for _ in range(4000)]
    assert level - 0.003 < np.mean(found) < level + 1 / (n + 1) + 0.003


@pytest.mark.parametrize("values", [1000, 7])
def test_with_delta_it_holds_for_nearly_every_validation_set(values: int) -> None:
    n, level, delta = 60, 0.85, 0.1
    shares = []
    for _ in range(3000):
        scores = torch.tensor(RANDOM.integers(0, values, n))
        shares.append((order_threshold("u", scores, level, delta) + 1) / values)
    assert np.mean(np.array(shares) < level) <= delta + 0.02


def test_the_rank_with_delta_is_the_least_that_will_do() -> None:
    scores = torch.arange(1.0, 101.0)
    rank = int(order_threshold("u", scores, 0.9, delta=0.05))
    assert beta.ppf(0.05, rank, 101 - rank) >= 0.9 > beta.ppf(0.05, rank - 1, 102 - rank)


def test_equal_scores_and_infinity() -> None:
    assert order_threshold("u", torch.ones(20), 0.5) == 1
    assert order_threshold("u", torch.full((20,), math.inf), 0.5) == math.inf


def test_too_little_is_named() -> None:
    with pytest.raises(ValueError, match=r"^Expected at least 19 rows of scores for a level of 0.95, but got 18\.$"):
        order_threshold("scores", torch.rand(18), 0.95)
    order_threshold("scores", torch.rand(19), 0.95)
    with pytest.raises(ValueError, match="Expected at least 59 rows"):
        order_threshold("scores", torch.rand(58), 0.95, delta=0.05)
    order_threshold("scores", torch.rand(59), 0.95, delta=0.05)
    with pytest.raises(ValueError, match=r"without NaN, but got NaN in 1 of 3 rows\. Drop them\.$"):
        order_threshold("scores", torch.tensor([0.0, torch.nan, 1.0]), 0.5)
    with pytest.raises(ValueError, match="`level` between 0 and 1, but got 1"):
        order_threshold("scores", torch.rand(9), 1.0)
    with pytest.raises(ValueError, match=r"of shape \(n,\)"):
        order_threshold("scores", torch.rand(9, 1), 0.5)
