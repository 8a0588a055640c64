"""Tables on disk as the rows that a network takes, a block at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from endd.data.files import PARQUET, TableFile
from endd.data.tables import TableEncoder
from endd.streaming.files import ROWS, check_columns, kinds_of
from endd.training.cache.parquet import ParquetRows
from endd.training.cache.rows import Rows, Stream, TableRows


def encoded_table(source: TableFile, encoder: TableEncoder) -> Rows | Stream:
    """The encoded rows of a table: those of Parquet in any order, those of a CSV one after another."""
    check_columns(source, encoder.names, "of training")
    if source.kind == PARQUET:
        return ParquetRows(source.path, encoder.names, Encoding(source, encoder))
    return CsvStream(source, encoder)


@dataclass(frozen=True)
class Encoding:
    """From a part of a table to its encoded rows; it can be sent to other processes."""

    source: TableFile
    encoder: TableEncoder

    def __call__(self, table: Any, file: Path | None = None) -> Tensor:
        """The rows, (N, width)."""
        return torch.as_tensor(self.encoder.encode(self.source.suitable(table))[0])


class CsvStream(Stream):
    """The encoded rows of a CSV."""

    def __init__(self, source: TableFile, encoder: TableEncoder) -> None:
        self.source, self.encoder = source, encoder

    def parts(self, rows: int) -> Iterator[TableRows]:
        """So many rows at a time: no more than these and a block of the file are in memory."""
        held: list[Tensor] = []
        for batch in self.source.batches(self.encoder.names, kinds_of(self.encoder), ROWS):
            held.append(torch.as_tensor(self.encoder.encode(batch)[0]))
            if sum(map(len, held)) < rows:
                continue
            *full, rest = torch.cat(held).split(rows)
            held = [rest]
            yield from map(TableRows, full)
        for part in torch.cat(held).split(rows) if held else ():
            yield TableRows(part)
