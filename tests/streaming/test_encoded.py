"""Encoded tables, a block at a time."""

import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import torch

from endd.data import files
from endd.data.files import TableFile
from endd.streaming.encoded import encoded_table
from endd.training.cache.parquet import ParquetRows
from endd.training.cache.rows import Stream


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some ten rows a block."""
    monkeypatch.setattr(files, "BLOCK", 500)


@pytest.fixture
def x(priced: Any, houses: Path) -> torch.Tensor:
    """The whole table, encoded at once."""
    encoder, source = priced[1].encoder_, TableFile(houses)
    return torch.as_tensor(encoder.encode(source.read(encoder.names))[0])


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("rows", [1, 7, 8, 40, 120, 500])
def test_a_csv_comes_in_parts_of_any_size(priced: Any, houses: Path, x: torch.Tensor, rows: int) -> None:
    stream = encoded_table(TableFile(houses), priced[1].encoder_)
    assert isinstance(stream, Stream)
    parts = [part.read(0, len(part)) for part in stream.parts(rows)]
    assert {len(part) for part in parts[:-1]} <= {rows}
    assert torch.equal(torch.cat(parts), x)


@pytest.mark.usefixtures("small_blocks")
def test_no_more_of_a_csv_is_encoded_than_is_asked_for(priced: Any, houses: Path) -> None:
    source, given = TableFile(houses), []
    batches = source.batches
    source.batches = lambda *wanted: (given.append(len(batch)) or batch for batch in batches(*wanted))  # type: ignore
    parts = encoded_table(source, priced[1].encoder_).parts(5)  # type: ignore[union-attr]
    assert len(next(parts)) == 5
    assert sum(given) < 20
    assert sum(map(len, parts)) == sum(given) - 5 == 115


def test_parquet_is_read_in_any_order_and_elsewhere(priced: Any, houses: Path, tmp_path: Path, x: torch.Tensor) -> None:
    file = tmp_path / "houses.parquet"
    pq.write_table(pa.csv.read_csv(houses), file, row_group_size=16)
    rows = encoded_table(TableFile(file), priced[1].encoder_)
    assert isinstance(rows, ParquetRows)
    there = pickle.loads(pickle.dumps(rows))
    assert len(there) == 120
    for start, stop in [(40, 70), (0, 5), (110, 120)]:
        assert torch.equal(there.read(start, stop), x[start:stop])


def test_missing_columns_are_named(priced: Any, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("first,third\n1,2\n")
    with pytest.raises(ValueError, match="it lacks 'second'"):
        encoded_table(TableFile(tmp_path / "other.csv"), priced[1].encoder_)
