"""Inputs of every kind are read by row number, here and in other processes."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

from endd.training.cache.rows import HuggingFaceRows, Rows, Stream, TableRows, as_rows, joined, row_bytes

X = torch.arange(20.0).reshape(10, 2)


class Squares(Dataset[dict[str, int]]):
    """Rows by name."""

    def __len__(self) -> int:
        return 10

    def __getitem__(self, place: int) -> dict[str, int]:
        return {"a": place, "b": place**2}


class Counting(IterableDataset[torch.Tensor]):
    def __iter__(self) -> Any:
        return iter(X)


class LikeHuggingFace:
    """What is used of a Hugging Face dataset."""

    column_names = ("a",)

    def with_format(self, name: str) -> "LikeHuggingFace":
        assert name == "torch"
        return self

    def __len__(self) -> int:
        return 10

    def __getitem__(self, rows: slice) -> dict[str, torch.Tensor]:
        return {"a": X[rows]}


@pytest.mark.parametrize(
    "inputs", [X, X.numpy(), X.double().numpy(), DataLoader(X, 3), LikeHuggingFace()], ids=lambda x: type(x).__name__
)
def test_parts_are_tensors(inputs: Any) -> None:
    rows = as_rows(inputs)
    assert isinstance(rows, Rows)
    assert len(rows) == 10
    assert torch.equal(rows.read(3, 7), X[3:7])
    assert torch.equal(rows.read(8, 99), X[8:])


def test_rows_by_name_and_by_place() -> None:
    named = as_rows(Squares())
    assert isinstance(named, Rows)
    assert {name: part.tolist() for name, part in named.read(2, 4).items()} == {"a": [2, 3], "b": [4, 9]}
    pair = as_rows(TensorDataset(X, X[:, 0]))
    assert isinstance(pair, Rows)
    assert torch.equal(pair.read(0, 2)[1], X[:2, 0])


def test_a_mapped_file_stays_on_disk_and_travels_by_name(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X.numpy())
    rows = as_rows(tmp_path / "x.npy")
    assert isinstance(rows, TableRows)
    assert isinstance(rows.table, np.memmap)
    packed = pickle.dumps(rows)
    assert b"x.npy" in packed
    assert torch.equal(pickle.loads(packed).read(4, 6), X[4:6])


def test_a_part_of_a_mapped_file_travels_as_it_is(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X.numpy())
    part = np.load(tmp_path / "x.npy", mmap_mode="r")[4:]
    assert torch.equal(pickle.loads(pickle.dumps(TableRows(part))).read(0, 2), X[4:6])


def test_a_stream_comes_in_parts() -> None:
    rows = as_rows(Counting())
    assert isinstance(rows, Stream)
    assert [len(part) for part in rows.parts(4)] == [4, 4, 2]
    assert torch.equal(next(rows.parts(4)).read(1, 3), X[1:3])


@pytest.mark.parametrize(
    ("inputs", "message"),
    [("no.npy", "no.npy"), ({}, "Expected inputs"), (3, "Expected inputs"), ([X, X[:5]], r"\[5, 10\]")],
)
def test_what_is_not_inputs_is_named(inputs: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError, FileNotFoundError), match=message):
        as_rows(inputs)


def test_missing_numbers_are_named() -> None:
    rows = as_rows(np.array([[1.0], [np.nan]]))
    assert isinstance(rows, Rows)
    with pytest.raises(ValueError, match="NaN or infinity"):
        rows.read(0, 2)


def test_nests_are_joined_and_measured() -> None:
    assert torch.equal(joined([(X, {"a": X}), (X, {"a": X})])[1]["a"], torch.cat([X, X]))
    assert row_bytes((X, X[:, 0])) == 12


def test_a_real_hugging_face_dataset() -> None:
    datasets = pytest.importorskip("datasets")
    rows = HuggingFaceRows(datasets.Dataset.from_dict({"x": X.tolist()}))
    assert torch.equal(rows.read(2, 5), X[2:5])
