"""Classification: probabilities, classes by name, both kinds of uncertainty."""

from typing import Any

import numpy as np
import pytest
import torch
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

import endd
from tests.conftest import classes_of, make_table


def test_it_predicts_about_as_well_as_an_outsider(table: Any, classifier: Any) -> None:
    X, y = make_table(seed=1)
    outsider = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)
    outsider.fit(table[0].astype({"group": "category"}), classes_of(table[1]))
    theirs = log_loss(classes_of(y), outsider.predict_proba(X.astype({"group": "category"})))
    assert log_loss(classes_of(y), classifier.predict_proba(X)) < theirs + 0.05


def test_the_parts_belong_together(table: Any, classifier: Any) -> None:
    X, y = table
    probs = classifier.predict_proba(X)
    assert classifier.classes_.tolist() == ["low", "middle", "top"]
    np.testing.assert_allclose(probs.sum(1), 1)
    np.testing.assert_allclose(np.exp(classifier.predict_log_proba(X)), probs)
    np.testing.assert_array_equal(classifier.predict(X), classifier.classes_[probs.argmax(1)])
    assert classifier.score(X, classes_of(y)) == np.mean(classifier.predict(X) == classes_of(y))
    parts = classifier.predict_uncertainty(X)
    np.testing.assert_allclose(parts.total, parts.aleatoric + parts.epistemic)
    np.testing.assert_allclose(parts.total, -(probs * np.log(probs)).sum(1), atol=0.01)
    assert parts.epistemic.min() >= 0


def test_the_distribution_is_over_the_places_of_classes(table: Any, classifier: Any) -> None:
    X, y = table
    codes = torch.as_tensor(np.searchsorted(classifier.classes_, classes_of(y)))
    for name in ("student", "teacher"):
        q = classifier.predict_distribution(X, model=name)
        assert float(-q.log_prob(codes).mean()) < 0.5
    np.testing.assert_allclose(classifier.predict_distribution(X).probs, classifier.predict_proba(X))


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [-1.0, 2.0], ["no", "yes"]])
def test_classes_may_be_anything(labels: list[Any], table: Any, QUICK: Any) -> None:
    X, y = table
    answers = np.array(labels)[(y > 110).astype(int)]
    model = endd.DistilledClassifier(**QUICK).fit(X, answers)
    assert model.classes_.tolist() == labels
    assert model.predict(X).dtype == answers.dtype
    assert model.score(X, answers) > 0.9


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1.0, 1: 19.0}])
def test_class_weights_count(class_weight: Any, QUICK: Any) -> None:
    X, y = np.zeros((400, 1)), np.arange(400) % 20 == 0
    model = endd.DistilledClassifier(**QUICK | {"epochs": 100}, class_weight=class_weight).fit(X, y.astype(int))
    outsider = LogisticRegression(class_weight=class_weight).fit(X, y.astype(int))
    np.testing.assert_allclose(model.predict_proba(X[:1]), outsider.predict_proba(X[:1]), atol=0.1)


def test_class_weights_and_sample_weights_multiply(QUICK: Any) -> None:
    X, y = np.zeros((200, 1)), np.arange(200) % 2
    model = endd.DistilledClassifier(**QUICK | {"epochs": 100}, class_weight={1: 3.0})
    model.fit(X, y, sample_weight=np.where(y, 1.0, 3.0))
    np.testing.assert_allclose(model.predict_proba(X[:1]), 0.5, atol=0.1)


def test_a_rare_class_is_kept(QUICK: Any) -> None:
    X, _ = make_table()
    y = np.array(["a", "b"])[np.arange(200) % 2].astype(object)
    y[0] = "once"
    model = endd.DistilledClassifier(**QUICK).fit(X, y)
    assert model.predict_proba(X).shape == (200, 3)


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_missing_target_is_an_error(missing: Any) -> None:
    y = np.array(["a", missing, "b"], dtype=object)
    with pytest.raises(ValueError, match="Input y contains NaN or None in 1 rows"):
        endd.DistilledClassifier().fit(np.zeros((3, 1)), y)


def test_one_class_is_too_few() -> None:
    with pytest.raises(ValueError, match="Expected at least two classes in y, but got one class, 'a'"):
        endd.DistilledClassifier().fit(np.zeros((3, 1)), ["a", "a", "a"])


def test_numbers_that_are_no_classes() -> None:
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        endd.DistilledClassifier().fit(np.zeros((3, 1)), [0.1, 0.2, 0.7])
