"""Splits are standardised on their training part alone."""

import numpy as np
import pytest

from endd.data import make_split

TRAIN, TEST = np.arange(80), np.arange(80, 100)


def test_only_the_training_part_counts() -> None:
    random = np.random.default_rng(0)
    x, y = random.normal(5, 3, (100, 4)), random.normal(-2, 7, 100)
    split = make_split("fold0", x, y, TRAIN, TEST)
    assert np.allclose(split.train.x.mean(0), 0, atol=1e-6)
    assert np.allclose(split.train.x.std(0), 1, atol=1e-6)
    assert (split.shift, split.scale) == pytest.approx((y[TRAIN].mean(), y[TRAIN].std()))
    x[TEST] += 1000
    moved = make_split("fold0", x, y, TRAIN, TEST)
    assert np.array_equal(moved.train.x, split.train.x)
    assert np.all(moved.test.x > split.test.x + 100)


def test_targets_keep_their_units() -> None:
    y = np.linspace(400, 500, 100)
    split = make_split("split3", y[:, None], y, TRAIN, TEST)
    assert split.name == "split3"
    assert np.array_equal(split.test.y, y[TEST].astype(np.float32))
    assert split.train.y.dtype == split.train.x.dtype == np.float32


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9])
def test_constant_columns_survive(constant: float) -> None:
    x = np.stack([np.full(100, constant), np.arange(100.0)], 1)
    split = make_split("fold0", x, np.full(100, constant), TRAIN, TEST)
    assert np.allclose(split.train.x[:, 0], 0, atol=1e-5)
    assert (split.shift, split.scale) == (pytest.approx(constant), 1.0)
    assert all(np.isfinite(part.x).all() for part in (split.train, split.test))


def test_a_column_constant_in_training_only_is_not_scaled() -> None:
    x = np.zeros((100, 1))
    x[TEST] = 2.0
    assert np.all(make_split("fold0", x, x[:, 0], TRAIN, TEST).test.x == 2)


def test_an_empty_part_is_named() -> None:
    with pytest.raises(ValueError, match="80 and 0"):
        make_split("fold0", np.zeros((100, 1)), np.zeros(100), TRAIN, TEST[:0])
