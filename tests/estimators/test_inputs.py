"""What comes in is checked before anything is trained."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import endd
from endd.estimators.inputs import as_labels, check_complete, read_rows, weigh_rows


def test_rows_are_frames_or_arrays() -> None:
    model = endd.DistilledRegressor()
    assert read_rows(model, [[1, "a"], [2, "b"]], reset=True).dtype == object
    assert read_rows(model, [[1, 2], [3, 4]], reset=True).dtype == int
    assert not hasattr(model, "feature_names_in_")
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        frame = make({"a": [1, 2], "b": ["x", None]})
        assert read_rows(model, frame, reset=True) is frame
        assert model.feature_names_in_.tolist() == ["a", "b"]
        assert model.n_features_in_ == 2
    with pytest.raises(ValueError, match="Expected a table with rows and columns, but got 0 rows and 2 columns"):
        read_rows(model, frame[:0], reset=False)


def test_tables_that_cannot_be_read() -> None:
    model = endd.DistilledRegressor()
    with pytest.raises(TypeError, match=r"a table in memory, but got a LazyFrame\. Use X\.collect\(\)"):
        read_rows(model, pl.LazyFrame({"a": [1]}), reset=True)
    with pytest.raises(ValueError, match="different names, but got 'a' twice"):
        read_rows(model, pd.DataFrame([[1, 2]], columns=["a", "a"]), reset=True)


@pytest.mark.parametrize(
    ("y", "dtype"),
    [
        (pd.Series([1, 2], dtype="Int64"), int),
        (pd.Series([True, False], dtype="boolean"), bool),
        (pd.Series([1, 2], dtype=object), int),
        (pd.Series(np.array([1, 2]), dtype=object), int),
        (pl.Series([1, 2]), int),
        (["a", "b"], "<U1"),
    ],
)
def test_labels_keep_their_type(y: Any, dtype: Any) -> None:
    assert np.asarray(as_labels(y)).dtype == dtype


@pytest.mark.parametrize("make", [np.asarray, pd.Series, pl.Series, pa.array])
def test_missing_targets_are_found_in_any_kind_of_list(make: Any) -> None:
    check_complete(make([1, 2, 3]))
    check_complete(make(["a", "b"]))
    with pytest.raises(ValueError, match="Input y contains NaN or None in 1 rows"):
        check_complete(make(["a", None]))
    with pytest.raises(ValueError, match="in 2 rows"):
        check_complete(make([1.0, None, None]))


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_rows_without_weight_are_left_out(make: Any) -> None:
    X = make(np.arange(6.0).reshape(3, 2))
    rows, y, weights = weigh_rows(X, np.arange(3), [2.0, 0.0, 1.0])
    np.testing.assert_array_equal(np.asarray(rows), [[0, 1], [4, 5]])
    assert y.tolist() == [0, 2]
    assert weights is not None
    assert weights.tolist() == [2, 1]
    assert weigh_rows(X, np.arange(3), None)[2] is None
    with pytest.raises(ValueError, match=r"(?i)sample weights"):
        weigh_rows(X, np.arange(3), [0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_members": 0}, "`n_members` to be a whole number of at least 1, but got 0"),
        ({"batch_size": "large"}, "`batch_size` to be a whole number of at least 1, but got 'large'"),
        ({"epochs": 1.5}, "`epochs` to be a whole number"),
        ({"hidden": 64}, "`hidden` to be a list of layer widths"),
        ({"student_hidden": (0,)}, "`student_hidden` to be a list of layer widths"),
        ({"validation_fraction": 1.0}, "`validation_fraction` between 0 and 1, but got 1.0"),
        ({"v": "full"}, "Expected `v` to be a distribution such as endd.FullNormal"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        endd.DistilledRegressor(**settings).fit(np.zeros((4, 1)), np.arange(4))
