"""Estimators that somebody else fitted, as teachers."""

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression

import endd
from endd.estimators.fitted import LEAST_NOISE, FittedClassifiers, FittedRegressors, check_members, residual_variance
from endd.families import Categorical, Gaussian


@pytest.fixture
def example() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 3))
    return X, 50 + 10 * X[:, 0] + random.normal(size=150)


def test_regressors_say_means_and_a_common_noise(example: Any) -> None:
    X, y = example
    members = [LinearRegression().fit(X[part::3], y[part::3]) for part in range(3)]
    noise = residual_variance(members, X, y)
    assert noise == pytest.approx(np.mean([np.mean((y - member.predict(X)) ** 2) for member in members]))
    prediction = FittedRegressors(members, Gaussian().in_units(50.0, 10.0), noise).predict(X)
    means = np.stack([member.predict(X) for member in members])
    np.testing.assert_allclose(prediction.mean, means.mean(0), rtol=1e-6)
    np.testing.assert_allclose(prediction.epistemic, means.var(0), rtol=1e-4)
    np.testing.assert_allclose(prediction.aleatoric, noise, rtol=1e-4)


def test_regressors_with_a_deviation_of_their_own_say_that(example: Any) -> None:
    X, y = example
    members = [BayesianRidge().fit(X[part::2], y[part::2]) for part in range(2)]
    assert residual_variance(members, X, y) == 0.0
    prediction = FittedRegressors(members, Gaussian().in_units(50.0, 10.0), 0.0).predict(X)
    deviations = np.stack([member.predict(X, return_std=True)[1] for member in members])
    np.testing.assert_allclose(prediction.aleatoric, (deviations**2).mean(0), rtol=1e-4)


def test_noise_has_a_floor(example: Any) -> None:
    X, y = example
    member = LinearRegression().fit(X, y)
    prediction = FittedRegressors([member], Gaussian().in_units(0.0, 10.0), 0.0).predict(X)
    np.testing.assert_allclose(prediction.aleatoric, 100 * LEAST_NOISE, rtol=1e-4)


def test_classifiers_say_probabilities_also_of_classes_that_they_do_not_know(example: Any) -> None:
    X, y = example
    labels = np.array(["low", "middle", "top"])[np.digitize(y, [45, 55])]
    few = labels != "middle"
    members = [LogisticRegression().fit(X, labels), LogisticRegression().fit(X[few], labels[few])]
    prediction = FittedClassifiers(members, Categorical(3), np.array(["low", "middle", "top"])).predict(X)
    expected = members[0].predict_proba(X)
    expected[:, [0, 2]] += members[1].predict_proba(X)
    np.testing.assert_allclose(prediction.probs, expected / 2, atol=0.01)


@pytest.mark.parametrize(
    ("teacher", "message"),
    [
        ([], "a list of fitted estimators"),
        (LinearRegression(), "a list of fitted estimators"),
        ([LinearRegression()], r"teacher\[0\] is not\. Call its fit first"),
        ([3], r"Expected estimators with predict, but teacher\[0\] is 3"),
    ],
)
def test_what_is_no_teacher(teacher: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        check_members(teacher, "predict")


def test_a_student_of_forests_says_what_they_say(example: Any, QUICK: Any) -> None:
    X, y = example
    settings = QUICK | {"student_hidden": (64, 64), "student_epochs": 200}
    forests = [RandomForestRegressor(20, random_state=seed).fit(X, y) for seed in range(5)]
    regressor = endd.DistilledRegressor(teacher=forests, **settings).fit(X, y)
    means = np.mean([forest.predict(X) for forest in forests], 0)
    assert np.abs(regressor.predict(X) - means).mean() < 1
    np.testing.assert_allclose(regressor.predict_distribution(X, model="teacher").mean, means, rtol=1e-6)
    labels = y > 50
    trees = [RandomForestClassifier(20, max_depth=3, random_state=seed).fit(X, labels) for seed in range(5)]
    classifier = endd.DistilledClassifier(teacher=trees, **settings).fit(X, labels)
    probs = np.mean([tree.predict_proba(X) for tree in trees], 0)
    assert np.abs(classifier.predict_proba(X) - probs).mean() < 0.06
    assert classifier.predict_uncertainty(X, model="teacher").epistemic.shape == (150,)
