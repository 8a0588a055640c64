"""A rival from outside: gradient-boosted trees, with a normal of one variance around their prediction."""

import numpy as np
import torch
from sklearn.ensemble import HistGradientBoostingRegressor

from endd.data import Examples, Split
from endd.distributions import Point
from endd.families import Gaussian
from endd.models import Prediction

# The share of the training part that the variance is measured on.
HELD_OUT = 0.2


def boosted(split: Split, family: Gaussian, seed: int) -> Prediction:
    """N(trees(x), residual variance) at the test inputs.

    The variance is that of the residuals of trees grown without a held-out part; the trees that predict are then
    grown on all of the training part.
    """
    order = np.random.default_rng(seed).permutation(len(split.train.y))
    aside = max(round(HELD_OUT * len(order)), 1)
    held, kept = (Examples(split.train.x[rows], split.train.y[rows]) for rows in (order[:aside], order[aside:]))
    variance = float(np.square(held.y - _trees(kept, seed).predict(held.x)).mean())
    mean = torch.as_tensor(_trees(split.train, seed).predict(split.test.x), dtype=torch.float32)
    # the least variance that the family can state, and a little more
    least = 2 * family.min_variance * split.scale**2
    moments = torch.stack([mean, torch.full_like(mean, max(variance, least))], -1)
    return Prediction(family, Point(family.canonical(moments, "moments")))


def _trees(examples: Examples, seed: int) -> HistGradientBoostingRegressor:
    return HistGradientBoostingRegressor(random_state=seed).fit(examples.x, examples.y)
