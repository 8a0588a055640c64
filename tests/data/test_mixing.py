"""Mixed rows lie between rows, in the same kind of table."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from endd.data.mixing import mixed_rows

FRAME = pd.DataFrame(
    {
        "number": [0.0, 10.0, np.nan, 20.0],
        "count": [1, 3, 5, 7],
        "text": ["a", "b", None, "d"],
        "kind": pd.Categorical(["x", "y", "x", "y"]),
        "day": pd.to_datetime(["2020-01-01", "2020-01-02", None, "2020-01-04"]),
    },
    index=[7, 8, 9, 10],
)


@pytest.mark.parametrize(
    "convert", [lambda X: X, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "pyarrow"]
)
def test_frames_stay_frames(convert: Any) -> None:
    X = convert(FRAME.reset_index(drop=True))
    mixed = mixed_rows(X, views=50, mix=0.5)
    assert type(mixed) is type(X)
    assert mixed.shape == (200, 5)
    again = mixed if isinstance(mixed, pd.DataFrame) else mixed.to_pandas()
    assert again["kind"].dtype == "category"
    assert set(again["text"].dropna()) == {"a", "b", "d"}
    number = again["number"].to_numpy()
    assert ((number >= 0) & (number <= 20) | np.isnan(number)).all()
    whole = np.isin(again["count"], [1, 3, 5, 7])
    assert 0.4 < whole.mean() < 0.7


def test_a_part_is_mixed_and_what_is_missing_stays_so_only_where_it_is_near() -> None:
    plain = mixed_rows(FRAME, views=2, mix=0.0)
    pd.testing.assert_frame_equal(plain, pd.concat([FRAME, FRAME], ignore_index=True), check_dtype=False)
    mixed = mixed_rows(FRAME, views=100, mix=1.0)
    near = mixed["text"].isna()
    assert (mixed["number"].isna() <= near).all()


def test_arrays_of_numbers_and_of_objects() -> None:
    X = np.arange(20).reshape(10, 2)
    mixed = mixed_rows(X, views=3, mix=1.0)
    assert mixed.dtype == float
    np.testing.assert_allclose(mixed[:, 1] - mixed[:, 0], 1)  # every row lies on the line that all of them lie on
    table = np.array([[1.5, "a"], [2.5, "b"]], dtype=object)
    assert set(mixed_rows(table, views=9, mix=0.5)[:, 1]) == {"a", "b"}
    np.testing.assert_array_equal(mixed_rows(X, 3, 0.5, seed=1), mixed_rows(X, 3, 0.5, seed=1))
