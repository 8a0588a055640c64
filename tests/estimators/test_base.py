"""What scikit-learn asks of an estimator, and what both share."""

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import endd
from endd.estimators.base import Uncertainty

# Weights stand for repeated rows in the loss, but not in the order of batches: scikit-learn grants this to its own
# stochastic estimators.
GRANTED = {"check_sample_weight_equivalence_on_dense_data": "batches are drawn at random"}
SMALL: dict[str, Any] = {"n_members": 2, "epochs": 30, "student_epochs": 15}


@parametrize_with_checks(
    [endd.DistilledRegressor(**SMALL), endd.DistilledClassifier(**SMALL)], expected_failed_checks=lambda _: GRANTED
)
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


def test_three_numbers_by_attribute_name_and_order() -> None:
    parts = Uncertainty(np.ones(2), np.zeros(2), np.full(2, 0.5))
    total, aleatoric, epistemic = parts
    assert parts.total is parts["total"] is total is parts[0]
    assert dict(parts)["epistemic"] is epistemic
    assert dict(parts)["aleatoric"] is aleatoric


def test_the_same_seed_gives_the_same_model_and_nothing_global_changes(table: Any, regressor: Any, QUICK: Any) -> None:
    X, y = table
    torch.manual_seed(7)
    before = torch.random.get_rng_state(), torch.get_num_threads(), np.random.get_state()[1].copy()
    again = endd.DistilledRegressor(**QUICK).fit(X, y)
    assert torch.equal(torch.random.get_rng_state(), before[0])
    assert torch.get_num_threads() == before[1]
    np.testing.assert_array_equal(np.random.get_state()[1], before[2])
    np.testing.assert_array_equal(again.predict(X), regressor.predict(X))
    other = endd.DistilledRegressor(**QUICK | {"random_state": 1}).fit(X, y)
    assert not np.array_equal(other.predict(X), regressor.predict(X))


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_a_copy_predicts_the_same(kind: str, table: Any, request: pytest.FixtureRequest) -> None:
    model, (X, _) = request.getfixturevalue(kind), table
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    for name in ("student", "teacher"):
        before, after = (one.predict_uncertainty(X, model=name) for one in (model, again))
        np.testing.assert_array_equal(before.epistemic, after.epistemic)
    assert not hasattr(clone(model), "student_")


def test_a_clone_keeps_a_teacher_that_is_fitted(table: Any, QUICK: Any) -> None:
    X, y = table[0][["first"]], table[1]
    forest = RandomForestRegressor(5).fit(X, y)
    copy = clone(endd.DistilledRegressor(teacher=[forest], hidden=[3, 3]))
    assert copy.teacher[0] is forest
    assert copy.hidden == [3, 3]
    assert cross_val_score(endd.DistilledRegressor(teacher=[forest], **QUICK), X, y, cv=2).shape == (2,)


def test_it_works_where_scikit_learn_composes(table: Any, QUICK: Any) -> None:
    X, y = table[0][["first", "second"]], table[1]
    few = QUICK | {"epochs": 3, "student_epochs": 3}
    pipeline = make_pipeline(StandardScaler(), endd.DistilledRegressor(**few))
    assert cross_val_predict(pipeline, X, y, cv=2).shape == y.shape
    search = GridSearchCV(endd.DistilledRegressor(**few), {"hidden": [(4,), (8,)], "n_members": [2]}, cv=2, n_jobs=2)
    assert search.fit(X, y).best_params_["n_members"] == 2
    assert search.best_estimator_.predict_uncertainty(X).epistemic.min() >= 0


def test_frames_of_pandas_and_polars_are_alike(table: Any, regressor: Any, QUICK: Any) -> None:
    X, y = table
    other = endd.DistilledRegressor(**QUICK).fit(pl.from_pandas(X), pl.Series(y))
    assert other.feature_names_in_.tolist() == ["first", "second", "group"]
    np.testing.assert_array_equal(other.predict(X), regressor.predict(pl.from_pandas(X)))


def test_columns_must_be_those_of_training_as_in_scikit_learn(table: Any, regressor: Any) -> None:
    X, _ = table
    with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
        regressor.predict(X[["second", "first", "group"]])
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing:\n- group"):
        regressor.predict(X[["first", "second"]])
    with pytest.raises(ValueError, match="X has 2 features, but DistilledRegressor is expecting 3 features"):
        regressor.predict(X.to_numpy()[:, :2])
    with pytest.warns(UserWarning, match="X does not have valid feature names, but DistilledRegressor was fitted with"):
        regressor.predict(X.to_numpy())


def test_unseen_categories_are_counted_or_refused(table: Any, regressor: Any) -> None:
    X = table[0].head(4).assign(group=["a", "new", None, "b"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert np.isfinite(regressor.predict(X)).all()
    assert [str(one.message)[:70] for one in caught] == [
        "Got 1 missing values ('group' 1) and 1 unseen values ('group' 1) in 4 "
    ]
    strict = pickle.loads(pickle.dumps(regressor)).set_params(strict=True)
    with pytest.raises(ValueError, match="but got 1 missing values"):
        strict.predict(X)


def test_infinity_and_empty_tables_are_errors(table: Any, regressor: Any, QUICK: Any) -> None:
    X, y = table
    bad = X.assign(first=X["first"].where(X.index != 3, np.inf))
    with pytest.raises(ValueError, match="Input X contains infinity, by column: 'first' 1"):
        endd.DistilledRegressor(**QUICK).fit(bad, y)
    with pytest.raises(ValueError, match="Input X contains infinity"):
        regressor.predict(bad)
    with pytest.raises(ValueError, match="0 rows"):
        regressor.predict(X.head(0))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        endd.DistilledRegressor(**QUICK).fit(X, y[:-1])


def test_a_teacher_that_was_not_kept_is_gone(table: Any, QUICK: Any) -> None:
    X, y = table
    model = endd.DistilledRegressor(**QUICK | {"epochs": 1, "student_epochs": 1}, keep_teacher=False).fit(X, y)
    assert model.teacher_ is None
    with pytest.raises(ValueError, match=r"but it was not kept\. Fit with keep_teacher=True"):
        model.predict_distribution(X, model="teacher")
    with pytest.raises(ValueError, match="`model` to be one of 'student', 'teacher', but got 'pupil'"):
        model.predict_uncertainty(X, model="pupil")


def test_unlabelled_rows_are_learnt_from(QUICK: Any) -> None:
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (200, 1))
    far = random.uniform(3, 5, (200, 1))
    settings = QUICK | {"student_epochs": 100}
    plain = endd.DistilledRegressor(**settings).fit(X, X[:, 0])
    told = endd.DistilledRegressor(**settings).fit(X, X[:, 0], X_unlabelled=far)
    gaps = []
    for model in (plain, told):
        student, teacher = (model.predict_distribution(far, model=name).mean for name in ("student", "teacher"))
        gaps.append(float((student - teacher).abs().mean()))
    assert gaps[1] < gaps[0] / 2
    named = pd.DataFrame(X, columns=["a"])
    with pytest.raises(ValueError, match="The feature names should match"):
        endd.DistilledRegressor(**settings).fit(named, X[:, 0], X_unlabelled=pd.DataFrame(far, columns=["b"]))


def test_long_tables_are_predicted_in_parts(table: Any, classifier: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = table
    whole = classifier.predict_proba(X)
    monkeypatch.setattr("endd.estimators.base.NUMBERS_AT_ONCE", 7 * 256 * 3)
    np.testing.assert_allclose(classifier.predict_proba(X), whole, rtol=1e-12)


def test_progress_is_told_if_asked_for(table: Any, QUICK: Any, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = table
    endd.DistilledRegressor(**QUICK | {"epochs": 1, "student_epochs": 1}, verbose=1).fit(X, y)
    said = capsys.readouterr().err
    assert "members" in said
    assert "student" in said


def test_early_stopping_and_sizes_are_options(table: Any, QUICK: Any) -> None:
    X, y = table
    few = QUICK | {"epochs": 2, "student_epochs": 2}
    model = endd.DistilledRegressor(
        **few | {"early_stopping": False, "batch_size": 50, "student_hidden": (5,), "v": endd.DiagonalNormal}
    ).fit(X, y)
    assert model.teacher_history_.best_epoch is None
    assert model.student_.net.layers[0].out_features == 5
    assert model.student_.form is endd.DiagonalNormal
    assert len(endd.DistilledRegressor(**few).fit(X, y).teacher_history_.best_epoch) == 3
