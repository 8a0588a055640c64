"""The toy data follow their law."""

import numpy as np
import pytest

from endd.data import toy_examples, toy_mean, toy_variance


def test_noise_has_the_stated_variance() -> None:
    x, y = toy_examples(200_000, reach=3, seed=1)
    noise = y - toy_mean(x[:, 0])
    for low in (-3, -1, 1):
        part = (x[:, 0] >= low) & (x[:, 0] < low + 2)
        expected = toy_variance(x[part, 0]).mean()
        assert abs(noise[part].mean()) < 5 * np.sqrt(expected / part.sum())
        # the standard error of a variance is about variance * sqrt(2 / n); 3 allows for its change over the part
        assert abs(noise[part].var() / expected - 1) < 5 * np.sqrt(3 / part.sum())


def test_the_variance_is_the_papers() -> None:
    assert toy_variance(np.array(0.0)) == pytest.approx(0.075)


def test_inputs_fill_the_interval() -> None:
    x, _ = toy_examples(10_000, reach=5, seed=0)
    assert x.dtype == np.float32
    assert -5 <= x.min() < -4.98
    assert 4.98 < x.max() <= 5


def test_a_seed_is_a_data_set() -> None:
    first, same, other = (toy_examples(10, 3, seed) for seed in ((4, 0), (4, 0), (4, 1)))
    assert np.array_equal(first.y, same.y)
    assert not np.array_equal(first.y, other.y)


@pytest.mark.parametrize(("count", "reach"), [(0, 3.0), (5, 0.0), (5, float("nan"))])
def test_nonsense_is_named(count: int, reach: float) -> None:
    with pytest.raises(ValueError, match="at least one example"):
        toy_examples(count, reach, 0)
