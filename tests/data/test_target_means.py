"""Smoothed means, beside scikit-learn's encoder and beside a loop."""

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.preprocessing import TargetEncoder

from endd.data.target_means import FOLDS, MAX_SMOOTHING, smoothing_of, target_means

Example = tuple[NDArray[np.intp], NDArray[np.float64]]


@pytest.fixture
def example() -> Example:
    random = np.random.default_rng(0)
    codes = random.integers(0, 40, 1000)
    return codes, (random.normal(size=40)[codes] + random.normal(size=1000))[:, None]


def test_means_are_those_of_scikit_learn(example: Example) -> None:
    codes, y = example
    smoothing = smoothing_of(codes, 40, y)
    table, _ = target_means(codes, 40, y)
    theirs = TargetEncoder(smooth=float(smoothing[0]), target_type="continuous").fit(codes[:, None], y[:, 0])
    np.testing.assert_allclose(table[:, 0], theirs.encodings_[0])


def test_a_row_is_encoded_without_its_own_fold(example: Example) -> None:
    codes, y = example
    _, rows = target_means(codes, 40, y, seed=3)
    folds = np.random.default_rng(3).permutation(1000) % FOLDS
    smoothing = smoothing_of(codes, 40, y)
    for row in (0, 17, 999):
        others = folds != folds[row]
        same = others & (codes == codes[row])
        expected = (y[same].sum() + smoothing * y[others].mean()) / (same.sum() + smoothing)
        np.testing.assert_allclose(rows[row], expected)


def test_classes_have_a_mean_each(example: Example) -> None:
    codes, y = example
    classes = np.eye(3)[np.digitize(y[:, 0], [-1, 1])]
    table, rows = target_means(codes, 41, classes)
    assert rows.shape == (1000, 3)
    np.testing.assert_allclose(table[40], classes.mean(0))  # a level without rows


def test_the_more_alike_categories_are_the_more_they_are_drawn_together() -> None:
    random = np.random.default_rng(0)
    codes = np.arange(2000) % 50
    noise = random.normal(size=(2000, 1))
    apart = smoothing_of(codes, 50, 2 * random.normal(size=50)[codes, None] + noise)
    assert apart == pytest.approx(1.0)
    half = smoothing_of(codes, 50, random.normal(size=50)[codes, None] / 2 + noise)
    assert half == pytest.approx(4.0, rel=0.5)
    assert smoothing_of(codes, 50, noise) > 20
    assert smoothing_of(np.arange(50), 50, noise[:50]) <= MAX_SMOOTHING
