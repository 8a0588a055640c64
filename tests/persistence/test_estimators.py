"""Fitted estimators come back with all that they know."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

import endd
from endd.persistence.estimators import estimator_from_plain, estimator_to_plain


def again(model: Any) -> Any:
    described, tensors = estimator_to_plain(model)
    return estimator_from_plain(json.loads(json.dumps(described, allow_nan=False)), tensors)


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_predictions_are_the_same_to_the_last_bit(kind: str, table: Any, request: pytest.FixtureRequest) -> None:
    model, X = request.getfixturevalue(kind), table[0].head(40)
    other = again(model)
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    for name in ("student", "teacher"):
        for before, after in zip(
            model.predict_uncertainty(X, model=name), other.predict_uncertainty(X, model=name), strict=True
        ):
            np.testing.assert_array_equal(before, after)
    assert str(other) == str(model)
    assert other.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    assert repr(other.student_history_) == repr(model.student_history_)
    assert other.teacher_history_.best_epoch == model.teacher_history_.best_epoch
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        other.predict(X[["second", "first", "group"]])


def test_settings_of_every_type(table: Any, QUICK: Any) -> None:
    X, y = table
    settings = QUICK | {
        **{"epochs": 1, "student_epochs": np.int64(1), "hidden": [np.int64(4)], "student_hidden": (3,)},
        **{"v": endd.ModuloShift.of(endd.DiagonalNormal), "device": torch.device("cpu")},
        **{"class_weight": {0: 1.0, 1: np.float32(2.0)}, "random_state": np.random.RandomState(0)},
    }
    model = endd.DistilledClassifier(**settings, keep_teacher=False).fit(X, (y > 110).astype(int))
    other = again(model)
    assert other.teacher_ is None
    assert other.class_weight == {0: 1.0, 1: 2.0}
    assert other.v == settings["v"]
    assert (other.random_state, other.device, other.student_epochs) == (None, "cpu", 1)
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    clone(other).fit(X.head(50), y[:50] > 110)


def test_without_names_and_with_many_categories(QUICK: Any) -> None:
    random = np.random.default_rng(0)
    few = QUICK | {"epochs": 1, "student_epochs": 1}
    X = random.normal(size=(60, 2))
    model = endd.DistilledRegressor(**few).fit(X, X[:, 0])
    np.testing.assert_array_equal(again(model).predict(X), model.predict(X))
    assert not hasattr(again(model), "feature_names_in_")
    frame = pd.DataFrame({"street": [f"street {number % 50}" for number in range(200)]})
    model = endd.DistilledRegressor(**few).fit(frame, random.normal(size=200))
    np.testing.assert_array_equal(again(model).predict(frame), model.predict(frame))


def test_of_somebody_elses_teacher_nothing_is_kept(table: Any, QUICK: Any) -> None:
    X, y = table[0][["first"]], table[1]
    model = endd.DistilledRegressor(**QUICK, teacher=[LinearRegression().fit(X, y)] * 2).fit(X, y)
    other = again(model)
    assert other.teacher is None
    assert other.teacher_ is None
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
