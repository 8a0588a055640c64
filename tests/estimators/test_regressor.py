"""Regression: in the user's units, with both kinds of uncertainty."""

from typing import Any

import numpy as np
import pytest
import torch
from sklearn.ensemble import HistGradientBoostingRegressor

import endd
from tests.conftest import make_table


def test_it_predicts_about_as_well_as_an_outsider(table: Any, regressor: Any) -> None:
    X, y = make_table(seed=1)
    outsider = HistGradientBoostingRegressor(categorical_features="from_dtype", random_state=0)
    train = table[0].astype({"group": "category"})
    theirs = outsider.fit(train, table[1]).score(X.astype({"group": "category"}), y)
    assert regressor.score(X, y) > theirs - 0.05


def test_the_parts_belong_together(table: Any, regressor: Any) -> None:
    X, y = table
    mean, std = regressor.predict(X, return_std=True)
    np.testing.assert_array_equal(regressor.predict(X), mean)
    parts = regressor.predict_uncertainty(X)
    np.testing.assert_allclose(parts.total, parts.aleatoric + parts.epistemic)
    np.testing.assert_allclose(std**2, parts.total)
    for name in ("student", "teacher"):
        q = regressor.predict_distribution(X, model=name)
        assert q.batch_shape == (len(X),)
        assert float(-q.log_prob(torch.as_tensor(y)).mean()) < 4.0
    student = regressor.predict_distribution(X)
    np.testing.assert_allclose(student.mean, mean)
    np.testing.assert_allclose(student.variance, std**2, rtol=0.02)


def test_quantiles_are_in_order_and_cover_what_they_say(table: Any, regressor: Any) -> None:
    X, y = make_table(2000, seed=1)
    quantiles = regressor.predict_quantiles(X)
    assert quantiles.shape == (2000, 3)
    assert (np.diff(quantiles, axis=1) > 0).all()
    assert 0.85 < np.mean((quantiles[:, 0] < y) & (y < quantiles[:, 2])) <= 1.0
    assert regressor.predict_quantiles(X, quantiles=[0.1]).shape == (2000, 1)
    with pytest.raises(ValueError, match="quantile levels from 0 to 1"):
        regressor.predict_quantiles(X, quantiles=[1.5])


def test_ignorance_grows_away_from_the_data(table: Any, regressor: Any) -> None:
    X, _ = table
    far = X.assign(first=8.0)
    near, beyond = (regressor.predict_uncertainty(rows).epistemic.mean() for rows in (X, far))
    assert beyond > 5 * near


def test_large_targets_keep_their_digits(table: Any, QUICK: Any) -> None:
    X, y = table
    plain, moved = (endd.DistilledRegressor(**QUICK).fit(X, y + shift) for shift in (0.0, 2.0**31))
    np.testing.assert_allclose(moved.predict(X) - 2.0**31, plain.predict(X), atol=0.5)  # float32 has steps of 256 there


def test_a_constant_target_is_learnt_as_such(table: Any, QUICK: Any) -> None:
    X, _ = table
    model = endd.DistilledRegressor(**QUICK).fit(X, np.full(len(X), 5.0))
    np.testing.assert_allclose(model.predict(X), 5.0, atol=0.3)


def test_weights_count(QUICK: Any) -> None:
    X = np.zeros((100, 1))
    y = np.repeat([0.0, 1.0], 50)
    model = endd.DistilledRegressor(**QUICK | {"epochs": 100}).fit(X, y, sample_weight=np.where(y, 3.0, 1.0))
    assert model.predict(X[:1])[0] == pytest.approx(0.75, abs=0.1)


@pytest.mark.parametrize("y", [[1.0, np.nan, 2.0], [1.0, np.inf, 2.0], [1.0, None, 2.0]])
def test_a_missing_target_is_an_error(y: Any) -> None:
    with pytest.raises(ValueError, match=r"Input y contains (NaN|infinity)"):
        endd.DistilledRegressor().fit(np.zeros((3, 1)), y)


def test_one_row_is_too_few_and_vectors_are_not_taken() -> None:
    with pytest.raises(ValueError, match=r"y should be a 1d array, got an array of shape \(4, 2\)"):
        endd.DistilledRegressor().fit(np.zeros((4, 1)), np.zeros((4, 2)))
