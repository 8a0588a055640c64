"""Conformal intervals and sets against MAPIE, and what they promise over many validation sets."""

from typing import Any

import numpy as np
import pytest
import torch
from mapie.classification import SplitConformalClassifier
from mapie.conformity_scores import ResidualNormalisedScore
from mapie.regression import ConformalizedQuantileRegressor, SplitConformalRegressor
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

import endd
from endd.calibration import ConformalInterval, ConformalSet
from endd.families import Categorical, Gaussian, MultivariateGaussian

LEVEL = 0.85
Z = torch.randn(120, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


class Column(RegressorMixin, BaseEstimator):
    """Predicts one column of X."""

    def __init__(self, place: int = 0) -> None:
        self.place = place

    def fit(self, X: Any, y: Any) -> "Column":
        self.fitted_ = True
        return self

    def predict(self, X: Any) -> Any:
        return np.asarray(X)[:, self.place]


class Given(ClassifierMixin, BaseEstimator):
    """X are the probabilities."""

    def fit(self, X: Any, y: Any) -> "Given":
        self.classes_ = np.arange(np.shape(X)[1])
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.asarray(X)

    def predict(self, X: Any) -> Any:
        return np.asarray(X).argmax(1)


class Zeros(np.random.RandomState):
    """MAPIE's APS draws uniform numbers; at 0 it is the method without them."""

    def uniform(self, *_: Any, size: Any = None, **__: Any) -> Any:
        return np.zeros(size)


def numbers(rows: slice) -> endd.Prediction:
    return endd.Prediction(Gaussian(shift=3.0, scale=2.0), endd.Point(Z[rows]))


def drawn(prediction: endd.Prediction) -> torch.Tensor:
    return prediction.mean + 2 * prediction.variance.sqrt() * torch.randn(len(prediction), dtype=torch.float64)


def test_normalised_intervals_are_mapies() -> None:
    held, new = numbers(slice(80)), numbers(slice(80, None))
    y = drawn(held)
    columns = [np.stack([p.mean.numpy(), p.variance.sqrt().numpy()], 1) for p in (held, new)]
    score = ResidualNormalisedScore(Column(1).fit(None, None), prefit=True)
    oracle = SplitConformalRegressor(Column(0).fit(None, None), LEVEL, score, prefit=True)
    _, expected = oracle.conformalize(columns[0], y.numpy()).predict_interval(columns[1])
    found = torch.stack(ConformalInterval.fit(held, y, LEVEL)(new), 1)
    np.testing.assert_allclose(found, expected[..., 0], rtol=1e-10)


def test_widened_quantiles_are_mapies() -> None:
    held, new = numbers(slice(80)), numbers(slice(80, None))
    y = drawn(held)
    columns = [torch.stack([*p.interval(LEVEL), p.mean], 1).numpy() for p in (held, new)]
    parts = [Column(place).fit(None, None) for place in range(3)]
    oracle = ConformalizedQuantileRegressor(parts, confidence_level=LEVEL, prefit=True).conformalize(
        columns[0], y.numpy()
    )
    _, expected = oracle.predict_interval(columns[1], symmetric_correction=True)
    found = torch.stack(ConformalInterval.fit(held, y, LEVEL, "quantile")(new), 1)
    np.testing.assert_allclose(found, expected[..., 0], rtol=1e-8)


@pytest.mark.parametrize("method", ["lac", "aps"])
def test_sets_are_mapies(method: str) -> None:
    probs = torch.distributions.Dirichlet(torch.ones(5, dtype=torch.float64)).sample((200,))
    y = torch.multinomial(probs, 1).squeeze(1)
    held, new = (endd.Prediction(Categorical(5), endd.Point(part.log())) for part in (probs[:120], probs[120:]))
    oracle = SplitConformalClassifier(
        Given().fit(probs, y), confidence_level=LEVEL, conformity_score=method, prefit=True, random_state=Zeros(0)
    ).conformalize(probs[:120].numpy(), y[:120].numpy())
    options = {"include_last_label": False} if method == "aps" else None
    _, expected = oracle.predict_set(probs[120:].numpy(), conformity_score_params=options)
    found = ConformalSet.fit(held, y[:120], LEVEL, method)(new)
    assert np.array_equal(found.numpy(), expected[..., 0])


@pytest.mark.parametrize("method", ["normalised", "quantile"])
def test_intervals_hold_as_often_as_they_say_whatever_the_model(method: str) -> None:
    inside, trials = 0.0, 300
    for _ in range(trials):
        prediction = endd.Prediction(Gaussian(), endd.Point(torch.randn(139, 2)))
        y = 1 + prediction.mean + torch.randn(139) ** 3
        held, new = (endd.Prediction(Gaussian(), endd.Point(part)) for part in prediction.v.z.split([39, 100]))
        lower, upper = ConformalInterval.fit(held, y[:39], LEVEL, method)(new)
        inside += float(((lower <= y[39:]) & (y[39:] <= upper)).double().mean()) / trials
    assert LEVEL - 0.012 < inside < LEVEL + 1 / 40 + 0.012


@pytest.mark.parametrize("method", ["lac", "aps"])
def test_sets_hold_as_often_as_they_say_whatever_the_model(method: str) -> None:
    inside, trials = 0.0, 300
    for _ in range(trials):
        z = 2 * torch.randn(139, 4)
        y = torch.multinomial((z + torch.randn(139, 4)).softmax(-1), 1).squeeze(1)
        held, new = (endd.Prediction(Categorical(4), endd.Point(part)) for part in z.split([39, 100]))
        chosen = ConformalSet.fit(held, y[:39], LEVEL, method)(new)
        inside += float(chosen.gather(1, y[39:, None]).double().mean()) / trials
    # APS always keeps the most probable class, and so may hold more
    assert LEVEL - 0.012 < inside < (LEVEL + 1 / 40 + 0.012 if method == "lac" else 1)


def test_a_negative_margin_never_turns_an_interval_over() -> None:
    lower, upper = ConformalInterval(-2.0, LEVEL, "quantile").widened(torch.tensor([0.0]), torch.tensor([1.0]))
    assert (lower.item(), upper.item()) == (0.5, 0.5)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="'normalised', 'quantile', but got 'cqr'"):
        ConformalInterval(1.0, LEVEL, "cqr")
    with pytest.raises(ValueError, match="`level` between 0 and 1"):
        ConformalSet(1.0, 1.0)
    vectors = endd.Prediction(MultivariateGaussian(2), endd.Point(torch.zeros(4, 5)))
    with pytest.raises(TypeError, match="a regression on one number"):
        ConformalInterval.fit(vectors, torch.zeros(4, 2))
    with pytest.raises(ValueError, match=r"Use y.squeeze\(-1\)"):
        ConformalInterval.fit(numbers(slice(80)), torch.zeros(80, 1))
    with pytest.raises(ValueError, match="at least 19 rows of scores of y"):
        ConformalInterval.fit(numbers(slice(5)), torch.zeros(5), 0.95)
    classes = endd.Prediction(Categorical(3), endd.Point(torch.zeros(4, 3)))
    with pytest.raises(ValueError, match="integer classes"):
        ConformalSet.fit(classes, torch.zeros(4))


def test_targets_of_sets_may_be_an_array_and_must_be_one_a_row() -> None:
    prediction = endd.Prediction(endd.families.Categorical(3), endd.Point(torch.randn(60, 3)))
    y = torch.arange(60) % 3
    given, array = (ConformalSet.fit(prediction, classes) for classes in (y, y.numpy()))
    assert torch.equal(given.value, array.value)
    with pytest.raises(ValueError, match=r"integer classes \(n,\)"):
        ConformalSet.fit(prediction, y[:, None])
