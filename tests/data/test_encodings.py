"""Numbers are standardised, categories looked up."""

import numpy as np
import pytest
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from endd.data.encodings import LARGEST, MAX_ONE_HOT, CategoricalColumn, NumericColumns, one_hot

NAN = np.nan


def test_numbers_are_standardised_as_scikit_learn_does() -> None:
    random = np.random.default_rng(0)
    numbers = random.normal(3, [0.1, 20, 1], (50, 3))
    numbers[random.random((50, 3)) < 0.2] = NAN
    columns = NumericColumns.fit(["a", "b", "c"], numbers)
    encoded, odd = columns.encode(numbers)
    expected = np.nan_to_num(StandardScaler().fit_transform(numbers))
    np.testing.assert_allclose(encoded[:, :3], expected, atol=1e-6)
    np.testing.assert_array_equal(encoded[:, 3:], np.isnan(numbers))
    assert encoded.dtype == np.float32
    assert odd == {}
    assert columns.width == 6


def test_constant_empty_and_huge_columns_survive() -> None:
    numbers = np.array([[0.1, NAN, 1e300, 0], [0.1, NAN, -1e300, 0], [0.1, NAN, 0, 0]])
    columns = NumericColumns.fit(["constant", "empty", "huge", "zero"], numbers)
    np.testing.assert_allclose(
        columns.encode(numbers)[0][:, :4], [[0, 0, 1.5**0.5, 0], [0, 0, -(1.5**0.5), 0], [0] * 4]
    )
    np.testing.assert_array_equal(columns.indicator, [False, True, False, False])
    enormous = np.finfo(float).max / 2 * np.array([[1.0], [-1], [-1]])
    encoded = NumericColumns.fit(["enormous"], enormous).encode(enormous)[0]
    np.testing.assert_allclose(encoded, [[2**0.5], [-(0.5**0.5)], [-(0.5**0.5)]], rtol=1e-6)
    np.testing.assert_allclose(columns.encode(np.array([[1e300, 0, 0, 2]]))[0][0, :4], [LARGEST, 0, 0, 2])


@pytest.mark.parametrize("slip", [3e4, -3e4, 1e300])
@pytest.mark.parametrize("column", ["dense", "mostly zero", "mostly five"])
def test_a_slip_of_the_pen_costs_a_column_nothing(column: str, slip: float) -> None:
    random = np.random.default_rng(0)
    values = random.normal(3, 2, 400)
    values = {"dense": values, "mostly zero": values * (random.random(400) < 0.1), "mostly five": values.round()}[
        column
    ]
    values[random.random(400) < 0.6] = {"dense": NAN, "mostly zero": 0, "mostly five": 5}[column]
    others = np.delete(values, 7)[:, None]
    values[7] = slip
    right, columns = NumericColumns.fit(["x"], others), NumericColumns.fit(["x"], values[:, None])
    np.testing.assert_allclose([columns.shift, columns.scale], [right.shift, right.scale])
    encoded = columns.encode(np.array([[slip]]))[0][0, 0]
    assert np.nanmax(np.abs(columns.encode(others)[0])) < abs(encoded) < 70
    assert np.sign(encoded) == np.sign(slip)


def test_rare_and_far_values_that_are_meant_stay_as_they_are() -> None:
    flags = np.zeros((1000, 2))
    flags[:3] = 1
    flags[:, 1] = np.exp(np.random.default_rng(0).normal(size=1000))
    columns = NumericColumns.fit(["rare", "skewed"], flags)
    np.testing.assert_allclose(columns.encode(flags)[0], StandardScaler().fit_transform(flags), rtol=1e-5)


@pytest.mark.parametrize("kind", ["two regimes", "heavy tail", "a code for unknown"])
def test_many_values_far_from_the_others_are_meant(kind: str) -> None:
    random = np.random.default_rng(0)
    near, often = random.random(1000), random.random(1000) < 0.2
    values = {
        "two regimes": np.where(often, random.uniform(100, 1000, 1000), near),
        "heavy tail": np.exp(3 * random.normal(size=1000)),
        "a code for unknown": np.where(often, 999.0, near),
    }[kind][:, None]
    columns = NumericColumns.fit(["x"], values)
    np.testing.assert_allclose(columns.encode(values)[0], StandardScaler().fit_transform(values), rtol=1e-5, atol=1e-6)
    assert columns.far == LARGEST
    np.testing.assert_allclose(
        columns.encode(1e4 * values)[0], (1e4 * values - columns.shift) / columns.scale, rtol=1e-5
    )


def test_every_constant_is_the_mean_of_itself() -> None:
    constants = np.concatenate([np.arange(1, 2000) / 100, [1 / 3, 333333.333, -1e-300, 1e300]])
    columns = NumericColumns.fit([f"{value}" for value in constants], np.tile(constants, (5, 1)))
    np.testing.assert_allclose(columns.shift, constants)
    assert not columns.encode(np.tile(constants, (2, 1)))[0].any()


def test_numbers_that_were_never_missing_are_counted() -> None:
    columns = NumericColumns.fit(["a", "b"], np.array([[1.0, 2], [NAN, 4]]))
    encoded, odd = columns.encode(np.array([[NAN, NAN], [NAN, 3]]))
    assert odd == {"b": 1}
    np.testing.assert_array_equal(encoded, [[0, 0, 1], [0, 0, 1]])


def test_few_categories_get_a_column_each_as_in_scikit_learn() -> None:
    values = np.array(["b", "a", "b", "c"], dtype=object)
    column, rows, missing = CategoricalColumn.fit("x", values, np.zeros((4, 1)), 0)
    expected = OneHotEncoder(sparse_output=False).fit_transform(values[:, None])
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(column.encode(values)[0], expected)
    assert missing == 0


def test_what_was_never_seen_is_like_the_average() -> None:
    column, _, _ = CategoricalColumn.fit("x", np.array(["b", "a", "b", "b"], dtype=object), np.zeros((4, 1)), 0)
    encoded, missing, unseen = column.encode(np.array(["new", None, "a"], dtype=object))
    np.testing.assert_array_equal(encoded, [[0.25, 0.75], [0.25, 0.75], [1, 0]])
    assert (missing, unseen) == (1, 1)


def test_missing_categories_have_a_column_if_training_had_some() -> None:
    values = np.array(["b", None, "b", "a"], dtype=object)
    column, rows, missing = CategoricalColumn.fit("x", values, np.zeros((4, 1)), 0)
    np.testing.assert_array_equal(rows, [[0, 1, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]])
    assert missing == 1
    encoded, missing, unseen = column.encode(np.array([None, "new"], dtype=object))
    np.testing.assert_array_equal(encoded, [[0, 0, 1], [0.25, 0.5, 0.25]])
    assert (missing, unseen) == (1, 1)


@pytest.mark.parametrize("levels", [MAX_ONE_HOT, MAX_ONE_HOT + 1])
def test_many_categories_become_what_the_target_is_like(levels: int) -> None:
    random = np.random.default_rng(0)
    codes = random.permutation(np.arange(60 * levels) % levels)
    values = np.array([f"level {code}" for code in codes], dtype=object)
    effect = random.normal(size=levels)
    y = effect[codes] + 0.1 * random.normal(size=len(codes))
    column, rows, _ = CategoricalColumn.fit("x", values, 100 + 5 * y[:, None], 0)
    assert column.width == (levels if levels <= MAX_ONE_HOT else 1)
    assert column.table.shape == (levels + 2, column.width)
    if levels > MAX_ONE_HOT:
        encoded, _, _ = column.encode(np.array(["level 0", "level 1", "new", None], dtype=object))
        standard = (np.array([*effect[:2], y.mean(), y.mean()]) - y.mean()) / y.std()
        np.testing.assert_allclose(encoded[:, 0], standard, atol=0.1)
        np.testing.assert_allclose([rows.mean(), rows.std()], [0, 1], atol=1e-5)
        assert np.abs(rows - column.encode(values)[0]).max() > 1e-4  # no row sees its own target


def test_a_table_of_one_hot_rows() -> None:
    np.testing.assert_array_equal(one_hot(np.array([0, 0, 1, 1]), 2), [[1, 0], [0, 1], [0.5, 0.5], [0.5, 0.5]])


def test_true_and_false_are_known_however_they_are_written() -> None:
    column, targets = np.array([True, False] * 10), np.arange(20.0)[:, None]
    made, rows, _ = CategoricalColumn.fit("flag", column, targets, 0)
    for yes, no in (("true", "false"), ("TRUE", "FALSE"), (1, 0), ("1", "0"), (True, False)):
        found, missing, unseen = made.encode(np.array([yes, no, "maybe", None], dtype=object))
        assert np.array_equal(found[:2], rows[:2])
        assert (missing, unseen) == (1, 1)
    texts, *_ = CategoricalColumn.fit("word", np.array(["True", "other"] * 10, dtype=object), targets, 0)
    assert texts.encode(np.array(["true"], dtype=object))[2] == 1
