"""Parquet files are read a row group at a time."""

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from endd.training.cache.parquet import KEPT_GROUPS, ParquetRows

X = np.arange(60.0).reshape(30, 2)


def write(path: Path, x: np.ndarray, rows: int = 7) -> Path:
    pq.write_table(pa.table({"a": x[:, 0], "b": x[:, 1]}), path, row_group_size=rows)
    return path


def test_any_rows_of_a_file(tmp_path: Path) -> None:
    rows = ParquetRows(write(tmp_path / "x.parquet", X))
    assert len(rows) == 30
    for start, stop in [(0, 30), (5, 9), (7, 14), (13, 14), (28, 99)]:
        assert torch.equal(rows.read(start, stop), torch.as_tensor(X[start:stop]).float())
    assert len(rows._recent) == KEPT_GROUPS


def test_a_folder_of_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    write(tmp_path / "b.parquet", X[20:])
    write(tmp_path / "a.parquet", X[:20])
    rows = pickle.loads(pickle.dumps(ParquetRows(tmp_path)))
    assert torch.equal(rows.read(0, 30), torch.as_tensor(X).float())


def test_chosen_columns_whole_numbers_and_lists(tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    pq.write_table(pa.table({"n": [1, 2, 3], "l": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "t": ["a", "b", "c"]}), file)
    assert torch.equal(ParquetRows(file, ["n"]).read(1, 3), torch.tensor([[2], [3]]))
    assert torch.equal(ParquetRows(file, ["l"]).read(1, 2), torch.tensor([[3.0, 4.0]]))
    with pytest.raises(ValueError, match="column 't'"):
        ParquetRows(file).read(0, 1)


def test_gaps_and_lists_of_several_lengths_are_named(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1.0, None]}), tmp_path / "gap.parquet")
    pq.write_table(pa.table({"a": [[1.0], [1.0, 2.0]]}), tmp_path / "list.parquet")
    for name in ("gap", "list"):
        with pytest.raises(ValueError, match="column 'a'"):
            ParquetRows(tmp_path / f"{name}.parquet").read(0, 2)


def test_no_files_and_no_rows_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="Parquet files"):
        ParquetRows(tmp_path)
    with pytest.raises(ValueError, match="Expected rows"):
        ParquetRows(write(tmp_path / "x.parquet", X[:0]))
