"""A column reads the same from every kind of table."""

import datetime
import decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from endd.data.columns import CATEGORIES, NUMBERS, as_codes, as_numbers, is_frame, kind_of, missing_cells, read_table

DAY = datetime.date(2020, 1, 1)
NOON = datetime.datetime(2020, 1, 1, 12)
SECONDS = 1577836800.0
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def only_column(table: Any) -> tuple[str, Any]:
    read = read_table(table)
    (name,) = read.names
    return name, read[name]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2, 3], [1, 2, 3]),
        ([1.5, None, 2.0], [1.5, np.nan, 2]),
        ([1, None, 3], [1, np.nan, 3]),
        ([DAY, None, DAY], [SECONDS, np.nan, SECONDS]),
        ([NOON, None, NOON], [SECONDS + 43200, np.nan, SECONDS + 43200]),
        ([datetime.timedelta(seconds=5), None, None], [5, np.nan, np.nan]),
        ([decimal.Decimal("1.5"), None, decimal.Decimal("2")], [1.5, np.nan, 2]),
        ([None, None, None], [np.nan] * 3),
    ],
)
def test_numbers_and_dates(make: Any, values: list[Any], expected: list[float]) -> None:
    name, column = only_column(make({"a": values}))
    assert kind_of(name, column) == NUMBERS
    np.testing.assert_array_equal(as_numbers(name, column), expected)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize(
    ("values", "levels", "codes"),
    [
        (["b", None, "a"], ["a", "b"], [1, -1, 0]),
        (["3", "", "3"], ["", "3"], [1, 0, 1]),
        ([True, None, False], ["False", "True"], [1, -1, 0]),
        ([True, False, True], ["False", "True"], [1, 0, 1]),
    ],
)
def test_text_and_booleans(make: Any, values: list[Any], levels: list[str], codes: list[int]) -> None:
    name, column = only_column(make({"a": values}))
    assert kind_of(name, column) == CATEGORIES
    found, texts = as_codes(name, column)
    assert texts == levels
    assert found.tolist() == codes
    assert missing_cells(column).tolist() == [code == -1 for code in codes]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": pd.Categorical(["b", None, "a"], categories=["b", "a", "c"])}),
        pd.DataFrame({"a": pd.array(["b", None, "a"], dtype="string")}),
        pd.DataFrame({"a": pd.Series(["b", pd.NA, "a"], dtype=object)}),
        pl.DataFrame({"a": pl.Series(["b", None, "a"], dtype=pl.Categorical)}),
        pl.DataFrame({"a": pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "a"]))}),
        pa.table({"a": pa.array(["b", None, "a"]).dictionary_encode()}),
        [["b"], [None], ["a"]],
        np.array([["b"], [np.nan], [b"a"]], dtype=object),
    ],
    ids=["category", "string", "object", "categorical", "enum", "dictionary", "list", "array"],
)
def test_every_kind_of_category(table: Any) -> None:
    name, column = only_column(table)
    assert kind_of(name, column) == CATEGORIES
    codes, levels = as_codes(name, column)
    assert (codes.tolist(), levels) == ([1, -1, 0], ["a", "b"])


@pytest.mark.parametrize(
    "column",
    [
        pd.array([1, None, 3], dtype="Int64"),
        pd.array([1.0, None, 3.0], dtype="Float64"),
        pd.Series([1, pd.NA, 3.0], dtype=object),
    ],
    ids=["Int64", "Float64", "object"],
)
def test_pandas_own_numbers(column: Any) -> None:
    name, values = only_column(pd.DataFrame({"a": column}))
    assert kind_of(name, values) == NUMBERS
    np.testing.assert_array_equal(as_numbers(name, values), [1, np.nan, 3])


def test_a_time_zone_is_read_as_utc() -> None:
    stamps = pd.DataFrame({"a": pd.to_datetime(["2020-01-01 01:00"]).tz_localize("Europe/Berlin")})
    np.testing.assert_array_equal(as_numbers(*only_column(stamps)), [SECONDS])


def test_categories_that_are_numbers_read_the_same_with_and_without_missing_ones() -> None:
    whole = only_column(pd.DataFrame({"a": pd.Categorical([1, 2])}))
    assert kind_of(*whole) == CATEGORIES
    assert as_codes(*whole)[1] == as_codes("a", np.array([1.0, 2.0, np.nan]))[1] == ["1", "2"]


def test_an_array_is_a_table_without_names() -> None:
    read = read_table(np.array([[1, 2], [3, 4]]))
    assert read.names == ["x0", "x1"]
    assert read.matrix is not None
    assert [column.tolist() for column in read.columns] == [[1, 3], [2, 4]]
    assert kind_of("x0", read_table(np.array([[True], [False]]))["x0"]) == NUMBERS
    mixed = read_table([[1, "a"], [2.5, "b"]])
    assert [kind_of(name, mixed[name]) for name in mixed.names] == [NUMBERS, CATEGORIES]


def test_text_that_says_a_number_will_do_where_training_had_numbers() -> None:
    np.testing.assert_array_equal(as_numbers("a", np.array(["1.5", None], dtype=object)), [1.5, np.nan])
    with pytest.raises(ValueError, match=r"Expected numbers in column 'a', as in training, but got others: .*'red'"):
        as_numbers("a", np.array(["red"], dtype=object))


def test_what_is_no_table() -> None:
    with pytest.raises(ValueError, match=r"a table with rows and columns, but got an array of shape \(3,\)"):
        read_table([1, 2, 3])
    with pytest.raises(ValueError, match="different names, but got 'a' twice"):
        read_table(pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]))
    with pytest.raises(ValueError, match="Expected 2 columns, as in training, but got 1"):
        read_table(np.zeros((3, 1)), ["a", "b"])
    assert not is_frame(np.zeros((3, 1)))


@pytest.mark.parametrize("cell", [{"b": 1}, ["b"], object()])
def test_a_cell_that_is_neither_text_nor_number(cell: Any) -> None:
    column = np.empty(2, dtype=object)
    column[:] = ["a", cell]
    with pytest.raises(TypeError, match="Expected text or numbers in column 'a', but got others"):
        as_codes("a", column)
    with pytest.raises(TypeError, match="Expected numbers, text or dates in column 'a', but got complex128"):
        kind_of("a", np.zeros(2, dtype=complex))
