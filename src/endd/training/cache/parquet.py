"""Parquet files, or a folder of them, of which only the row groups that are asked for are read."""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from endd.data.files import arrow
from endd.training.cache.rows import Rows
from endd.training.data import check_rows

# Row groups that stay in memory, for what comes after them.
KEPT_GROUPS = 2


class ParquetRows(Rows):
    """Numbers of a Parquet file, or of all in a folder by name: (N, columns), or a column of lists (N, length).

    columns: which, in this order; by default all. Whole numbers stay whole where all columns are. decode: from an Arrow
    table, and the file that it is of, to the rows, where they are not plain numbers.
    """

    def __init__(
        self,
        path: str | Path,
        columns: Sequence[str] | None = None,
        decode: Callable[[Any, Path], Tensor] | None = None,
    ) -> None:
        self._decode = decode or _numbers
        self.path, self.columns = Path(path), None if columns is None else list(columns)
        self.files = sorted(self.path.rglob("*.parquet")) if self.path.is_dir() else [self.path]
        if not self.files or not self.files[0].is_file():
            raise FileNotFoundError(f"Expected Parquet files at {self.path}, but there are none.")
        metadata = [arrow().parquet.read_metadata(file) for file in self.files]
        self._groups = [
            (file, group) for file, m in zip(self.files, metadata, strict=True) for group in range(m.num_row_groups)
        ]
        sizes = [m.row_group(group).num_rows for m in metadata for group in range(m.num_row_groups)]
        self._ends: list[int] = list(accumulate(sizes))
        if not self._ends or not self._ends[-1]:
            raise ValueError(f"Expected rows in {self.path}, but it has none.")

    def __len__(self) -> int:
        return self._ends[-1]

    def read(self, start: int, stop: int) -> Tensor:
        """Rows out of the groups that they lie in."""
        stop = min(stop, len(self))
        first, last = bisect_right(self._ends, start), bisect_right(self._ends, stop - 1)
        offset = self._ends[first - 1] if first else 0
        part = torch.cat([self._group(number) for number in range(first, last + 1)])
        return check_rows(part[start - offset : stop - offset])  # type: ignore[no-any-return]

    @cached_property
    def _recent(self) -> OrderedDict[int, Tensor]:
        return OrderedDict()

    def _group(self, number: int) -> Tensor:
        if number not in self._recent:
            file, group = self._groups[number]
            table = arrow().parquet.ParquetFile(file).read_row_group(group, columns=self.columns)
            self._recent[number] = self._decode(table, file)
        self._recent.move_to_end(number)
        while len(self._recent) > KEPT_GROUPS:
            self._recent.popitem(last=False)
        return self._recent[number]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_recent"}


def _numbers(table: Any, file: Path) -> Tensor:
    """The columns of a table as one tensor."""
    pa = arrow()
    found = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        column = column.combine_chunks()
        lists = pa.types.is_list(column.type) or pa.types.is_fixed_size_list(column.type)
        values = column.flatten() if lists else column
        number = (
            pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_boolean(values.type)
        )
        if not number or column.null_count or values.null_count or (lists and len(values) % max(len(column), 1)):
            raise ValueError(f"Expected numbers, or lists of one length, in column {name!r} of {file}, but got others.")
        found.append(values.to_numpy(zero_copy_only=False).reshape(len(column), -1))
    array = np.concatenate(found, 1)
    kept = torch.as_tensor(array)
    return kept.to(torch.get_default_dtype()) if kept.is_floating_point() else kept
