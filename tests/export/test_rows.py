"""The encoder of a table as a module of tensors."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import endd
from endd.data.tables import TableEncoder
from endd.export.rows import EncodedRows, code_book
from tests.conftest import make_table


def as_inputs(encoder: TableEncoder, frame: pd.DataFrame) -> dict[str, torch.Tensor]:
    """A table as whoever reads the code book would give it to the graph."""
    book = code_book(encoder)
    found = {}
    if book["numbers"]:
        found["numbers"] = torch.tensor(frame[book["numbers"]].to_numpy(dtype=float))
    if book["codes"]:
        columns = [
            [
                entry["missing"]
                if pd.isna(cell)
                else dict(zip(entry["levels"], range(999), strict=False)).get(cell, entry["unseen"])
                for cell in frame[name]
            ]
            for name, entry in book["codes"].items()
        ]
        found["codes"] = torch.tensor(columns).T
    return found


@pytest.fixture
def odd_rows() -> pd.DataFrame:
    """Rows with missing numbers and categories, an unseen one, and a number beyond all others."""
    frame = make_table(12, seed=1)[0]
    frame.loc[0, "group"] = None
    frame.loc[1, "group"] = "z"
    frame.loc[2, "first"] = np.nan
    frame.loc[3, "first"] = 1e30
    return frame


@pytest.mark.parametrize("columns", [["first", "second", "group"], ["first", "second"], ["group"]])
def test_rows_are_encoded_as_in_python(columns: list[str], odd_rows: pd.DataFrame) -> None:
    X, y = make_table()
    encoder = TableEncoder()
    encoder.fit_transform(X[columns], y[:, None])
    inputs = as_inputs(encoder, odd_rows)
    module = EncodedRows(encoder)
    np.testing.assert_array_equal(module(**inputs).numpy(), encoder.encode(odd_rows[columns])[0])
    assert {name: value.shape[1:] for name, value in module.example().items()} == {
        name: value.shape[1:] for name, value in inputs.items()
    }


def test_a_slip_is_drawn_near_as_in_python(odd_rows: pd.DataFrame) -> None:
    X, y = make_table()
    X.loc[5, "first"] = -1e7
    encoder = TableEncoder()
    encoder.fit_transform(X, y[:, None])
    expected = encoder.encode(odd_rows)[0]
    assert 50 < expected[3].max() < 70
    np.testing.assert_allclose(EncodedRows(encoder)(**as_inputs(encoder, odd_rows)).numpy(), expected, rtol=1e-6)


def test_many_levels_and_dates(tmp_path: Any) -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {"sold": pd.date_range("2020-01-01", periods=200), "town": random.integers(0, 50, 200).astype(str)}
    )
    encoder = TableEncoder()
    encoder.fit_transform(X, random.normal(size=(200, 1)))
    inputs = as_inputs(encoder, X.assign(sold=X["sold"].astype("datetime64[us]").astype(np.int64) / 1e6))
    np.testing.assert_array_equal(EncodedRows(encoder)(**inputs).numpy(), encoder.encode(X)[0])


def test_codes_outside_the_book(regressor: endd.DistilledRegressor) -> None:
    rows, numbers = EncodedRows(regressor.encoder_), torch.zeros(1, 2, dtype=torch.float64)
    missing, unseen = 3, 4
    for code, place in ((-1, missing), (-9, missing), (99, unseen)):
        both = [rows(numbers=numbers, codes=torch.tensor([[number]])) for number in (code, place)]
        assert torch.equal(*both)
    assert code_book(regressor.encoder_) == {
        "numbers": ["first", "second"],
        "codes": {"group": {"levels": ["a", "b", "c"], "missing": missing, "unseen": unseen}},
    }
