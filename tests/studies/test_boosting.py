"""Boosted trees with a normal around them."""

import numpy as np
import pytest

from endd.data import make_split
from endd.families import Gaussian
from endd.studies.boosting import boosted


def test_the_variance_is_that_of_the_noise() -> None:
    random = np.random.default_rng(0)
    x = random.uniform(-1, 1, (3000, 2))
    y = 50 + 20 * x[:, 0] + random.normal(0, 4, 3000)
    split = make_split("fold0", x, y, np.arange(2500), np.arange(2500, 3000))
    prediction = boosted(split, Gaussian().in_units(split.shift, split.scale), 0)
    assert len(prediction) == 500
    assert float(prediction.variance[0]) == pytest.approx(16, rel=0.3)
    assert float(prediction.variance.std()) == pytest.approx(0, abs=1e-3)
    error = prediction.mean.numpy() - (50 + 20 * x[2500:, 0])
    assert np.sqrt(np.square(error).mean()) < 2.5
    assert float(prediction.epistemic.max()) == 0


def test_a_constant_target_has_a_least_variance() -> None:
    split = make_split("fold0", np.arange(30.0)[:, None], np.full(30, 2.0), np.arange(20), np.arange(20, 30))
    prediction = boosted(split, Gaussian().in_units(split.shift, split.scale), 0)
    assert bool(prediction.log_prob(prediction.mean).isfinite().all())
