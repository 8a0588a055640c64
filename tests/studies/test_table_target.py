"""What a target makes of a table, and targets that cannot be learnt."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from endd.studies.table_target import read_target


def column(values: Any, kind: Any = None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, kind)])


@pytest.mark.parametrize(
    ("values", "kind", "task", "reason"),
    [
        (np.arange(30) / 7, None, "regression", "fractions"),
        (np.arange(30), None, "regression", "30 different whole numbers"),
        (np.arange(30) % 3, None, "classification", "3 different whole numbers"),
        ([True, False] * 15, None, "classification", "true and false"),
        (["a", "b"] * 15, None, "classification", "text"),
        (["a", "b"] * 15, pa.dictionary(pa.int8(), pa.string()), "classification", "text"),
    ],
)
def test_the_task_follows_from_what_it_holds(values: Any, kind: Any, task: str, reason: str) -> None:
    target = read_target(column(values, kind), "y", "auto")
    assert (target.task, target.reason) == (task, f"{task}, because it holds {reason}")
    assert len(target.y) == 30


def test_the_task_may_be_said() -> None:
    assert read_target(column(np.arange(30) % 3), "y", "regression").y.dtype == np.float64
    assert read_target(column(np.arange(30) % 3 / 2), "y", "classification").task == "classification"


@pytest.mark.parametrize(
    ("values", "task", "said"),
    [
        ([1.0, None] * 10, "auto", "Expected a value of the target 'y' in every row, but it is missing in 10 of 20"),
        ([1.0, np.nan] * 10, "auto", "missing in 10 of 20 rows"),
        (["a", None] * 10, "auto", "missing in 10 of 20 rows"),
        ([1.0, -np.inf] * 10, "auto", "Expected finite numbers in the target 'y', but 10 are infinite"),
        ([2.5] * 20, "auto", r"with different values, but it has only one value, 2\.5"),
        ([2.0] * 20, "auto", "with different values, but it has only one class, 2"),
        (["a"] * 20, "auto", "with different values, but it has only one class, 'a'"),
        ([3] * 20, "regression", "only one value, 3"),
        ([1.5], "auto", "Expected at least 10 rows to train and test on, but got 1"),
        (["a", "b"] * 10, "regression", "Expected numbers in the target 'y' for regression, but got text"),
        ([f"id {n}" for n in range(20)], "auto", "Expected classes that repeat in the target 'y', but it has 20 in 20"),
        ([*map(str, range(40)), "oops"], "regression", "but got text such as 'oops'. Repair it"),
        ([f"{n},5" for n in range(40)], "auto", "it has 40 in 40 rows. Repair text such as '0,5' if these are numbers"),
        (np.arange(20).astype("datetime64[D]"), "auto", "but got dates"),
    ],
)
def test_what_cannot_be_learnt_is_named(values: Any, task: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_target(column(values), "y", task)


def test_whole_numbers_written_as_fractions_are_whole_numbers() -> None:
    found = read_target(pa.chunked_array([pa.array([0.0, 1.0, 2.0] * 10)]), "y", "auto")
    assert (found.task, found.reason) == (
        "classification",
        "classification, because it holds 3 different whole numbers",
    )
    assert np.unique(found.y).tolist() == [0, 1, 2]
    assert found.y.dtype == np.int64
    assert read_target(pa.chunked_array([pa.array([0.5, 1.0, 2.0] * 10)]), "y", "auto").task == "regression"
