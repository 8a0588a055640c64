"""Whole tables: numbers, text and gaps in, finite float32 columns out."""

import json
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from endd.data.tables import TableEncoder

NAMES = ["age", "city", "id", "since", "constant"]


def frame(rows: int = 200, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    age = random.normal(40, 10, rows)
    age[:20] = np.nan
    city = random.choice(["Bergen", "Oslo", "Tromsø"], rows).astype(object)
    return pd.DataFrame(
        {
            "age": age,
            "city": city,
            "id": [f"no {number}" for number in random.integers(0, 50, rows)],
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(rows), unit="D"),
            "constant": 7,
        }
    )


def fitted(table: Any = None) -> tuple[TableEncoder, Any]:
    table = frame() if table is None else table
    encoder = TableEncoder()
    return encoder, encoder.fit_transform(table, np.arange(200.0)[:, None], strict=True)


def test_every_column_becomes_finite_numbers() -> None:
    encoder, encoded = fitted()
    # age, since, constant, whether age is missing; three cities; one number for the many ids
    assert encoded.shape == (200, 8)
    assert encoded.dtype == np.float32
    assert encoder.width == 8
    np.testing.assert_allclose(encoded[20:, 0].std(), 1, atol=1e-4)
    np.testing.assert_array_equal(encoded[:, 3], np.arange(200) < 20)
    np.testing.assert_allclose(np.diff(encoded[:, 1]), np.diff(encoded[:2, 1])[0], atol=1e-5)
    again = encoder.transform(frame(), strict=True)
    np.testing.assert_array_equal(again[:, :7], encoded[:, :7])
    assert not np.array_equal(again[:, 7], encoded[:, 7])


@pytest.mark.filterwarnings("ignore:Got 6 unseen values")
@pytest.mark.parametrize(
    "convert",
    [
        pl.from_pandas,
        pa.Table.from_pandas,
        lambda table: table.astype({"city": "category", "id": "string"}),
        lambda table: table.to_numpy(),
    ],
    ids=["polars", "pyarrow", "dtypes", "array"],
)
def test_the_kind_of_table_does_not_matter(convert: Any) -> None:
    encoder, encoded = fitted()
    other, same = fitted(convert(frame()))
    np.testing.assert_array_equal(encoded, same)
    np.testing.assert_array_equal(encoder.transform(convert(frame(seed=1))), other.transform(frame(seed=1)))


def test_what_training_did_not_prepare_for_is_counted_in_one_line() -> None:
    encoder, _ = fitted()
    odd = frame(4)
    odd.loc[0, "city"], odd.loc[1, "city"], odd.loc[2, "id"] = "Paris", None, "no 99"
    odd["constant"] = [7, np.nan, np.nan, 7]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        encoded = encoder.transform(odd)
    (line,) = [str(warning.message) for warning in caught]
    assert line.startswith("Got 3 missing values ('constant' 2, 'city' 1) and 2 unseen values ('city' 1, 'id' 1) in 4")
    assert "\n" not in line
    assert np.isfinite(encoded).all()
    with pytest.raises(ValueError, match="Expected known values in every row, but got 3 missing values"):
        encoder.transform(odd, strict=True)


def test_missing_categories_are_counted_in_training_too() -> None:
    table = frame()
    table.loc[:4, "city"] = None
    with pytest.warns(UserWarning, match=r"5 missing values \('city' 5\) in 200 rows"):
        TableEncoder().fit_transform(table, np.zeros((200, 1)))
    with pytest.raises(ValueError, match=r"5 missing values \('city' 5\) in 200 rows"):
        TableEncoder().fit_transform(table, np.zeros((200, 1)), strict=True)


def test_infinity_is_an_error_that_names_the_column() -> None:
    encoder, _ = fitted()
    table = frame()
    table.loc[3:5, "age"] = [np.inf, -np.inf, 1]
    for work in (encoder.transform, lambda X: TableEncoder().fit_transform(X, np.zeros((200, 1)))):
        with pytest.raises(ValueError, match="Input X contains infinity, by column: 'age' 2"):
            work(table)


@pytest.mark.filterwarnings("ignore:Got 6 unseen values")
def test_plain_data_describe_the_encoder() -> None:
    encoder, _ = fitted()
    plain = encoder.to_dict()
    text = json.dumps(plain, default=lambda array: array.tolist())
    again = TableEncoder.from_dict(json.loads(text))
    np.testing.assert_array_equal(again.transform(frame(seed=1)), encoder.transform(frame(seed=1)))
    assert set(plain) == {"names", "numeric", "categorical"}


def test_an_encoder_that_was_saved_before_slips_were_looked_for_draws_nothing_near() -> None:
    table = frame().astype({"age": float})
    table.loc[7, "age"] = 1e7
    encoder = TableEncoder()
    encoder.fit_transform(table, np.zeros((200, 1)))
    place = encoder.numeric.names.index("age")
    assert encoder.numeric.far[place] < encoder.encode(table)[0][7, place] < 70
    plain = encoder.to_dict()
    del plain["numeric"]["far"]
    before = TableEncoder.from_dict(plain)
    standard = (1e7 - encoder.numeric.shift[place]) / encoder.numeric.scale[place]
    assert before.encode(table)[0][7, place] == pytest.approx(min(standard, 1e6))


def test_a_column_of_gaps_is_fine_where_training_had_numbers_or_text() -> None:
    encoder, _ = fitted()
    gaps = frame(3).astype({"age": object, "city": object})
    gaps[["age", "city"]] = None
    with pytest.warns(UserWarning, match=r"3 missing values \('city' 3\)"):
        encoded = encoder.transform(gaps)
    np.testing.assert_array_equal(encoded[:, [0, 3]], [[0, 1]] * 3)


@pytest.mark.parametrize(
    ("cells", "odd"),
    [
        ([*map(str, range(40)), "?"], "?"),
        ([f"{number},5" for number in range(40)], "0,5"),
        ([f"1.{number},5" for number in range(100, 140)], "1.100,5"),
    ],
    ids=["a few others", "decimal commas", "and points"],
)
def test_numbers_that_came_as_text_are_told(cells: list[str], odd: str) -> None:
    X = pd.DataFrame({"price": cells, "city": ["Oslo", "Bergen"] * (len(cells) // 2) + ["Oslo"] * (len(cells) % 2)})
    with pytest.warns(UserWarning, match=re.escape(f"nearly all reads as numbers: 'price' ({odd!r})")):
        TableEncoder().fit_transform(X, np.zeros((len(X), 1)))


@pytest.mark.parametrize(
    "cells", [["7", "red", "blue"], [f"no {number}" for number in range(40)], [*map(str, range(40))], ["1,2", "3,4"]]
)
def test_other_text_is_text(cells: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TableEncoder().fit_transform(pd.DataFrame({"x": cells}), np.zeros((len(cells), 1)))
