"""Inputs by row number, wherever they lie: in memory, in a file that is mapped, in a dataset, in a stream."""

import mmap
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, IterableDataset, default_collate

from endd._checks import describe
from endd.training.data import as_inputs, check_rows
from endd.training.tables import first_tensor


class Rows(ABC):
    """Inputs of which any part can be read. It travels to other processes by pickle, mapped files by their name."""

    @abstractmethod
    def __len__(self) -> int:
        """How many rows."""

    @abstractmethod
    def read(self, start: int, stop: int) -> Any:
        """Rows from start to before stop: a tensor, or a dict or tuple of them."""


class TableRows(Rows):
    """Tensors and arrays, or a dict or tuple of them; a mapped file stays on disk."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self._length = len(_first(table))

    def __len__(self) -> int:
        return self._length

    def read(self, start: int, stop: int) -> Any:
        """A part of every table."""
        return as_inputs(_sliced(self.table, start, stop))

    def __getstate__(self) -> Any:
        return _nested(_Mapped.of, self.table), self._length

    def __setstate__(self, state: Any) -> None:
        table, self._length = state
        self.table = _nested(lambda leaf: leaf.open() if isinstance(leaf, _Mapped) else leaf, table)


class DatasetRows(Rows):
    """A Dataset: each row is asked for, and they are put together as a DataLoader would."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def read(self, start: int, stop: int) -> Any:
        """Rows put together."""
        return check_rows(_collated([self.dataset[place] for place in range(start, min(stop, len(self)))]))


class HuggingFaceRows(Rows):
    """A Hugging Face dataset, of which parts are read at once; its columns are inputs by name, one of them a tensor."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset.with_format("torch")

    def __len__(self) -> int:
        return len(self.dataset)

    def read(self, start: int, stop: int) -> Any:
        """A part of every column."""
        return check_rows(alone(self.dataset[start : min(stop, len(self))]))


class Stream(ABC):
    """Inputs that come one after another, once a pass, nobody knows how many."""

    @abstractmethod
    def parts(self, rows: int) -> Iterator[TableRows]:
        """So many rows at a time, from the first."""


class DatasetStream(Stream):
    """An IterableDataset, or a Hugging Face dataset that is streamed."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def parts(self, rows: int) -> Iterator[TableRows]:
        """So many rows at a time, from the first."""
        given = iter(self.dataset)
        while part := list(islice(given, rows)):
            yield TableRows(_collated(part))


def as_rows(inputs: Any) -> Rows | Stream:
    """Inputs as rows.

    They may be tensors, arrays and numpy memmaps, or dicts or tuples of them; the name of a .npy or Parquet file or of
    a folder of the latter; a Dataset, an IterableDataset, a DataLoader or a Hugging Face dataset.
    """
    if isinstance(inputs, Rows | Stream):
        return inputs
    if isinstance(inputs, str | Path):
        return _file_rows(Path(inputs))
    if isinstance(inputs, IterableDataset):
        return DatasetStream(inputs)
    if callable(getattr(inputs, "with_format", None)):
        return HuggingFaceRows(inputs) if hasattr(inputs, "__len__") else DatasetStream(inputs.with_format("torch"))
    if isinstance(inputs, Dataset):
        return DatasetRows(inputs)
    return TableRows(as_inputs(inputs) if isinstance(inputs, DataLoader) else inputs)


def alone(columns: Mapping[str, Any]) -> Any:
    """Columns by name, or the tensor itself where there is one."""
    return next(iter(columns.values())) if len(columns) == 1 else dict(columns)


def _file_rows(path: Path) -> Rows:
    if path.suffix == ".npy":
        return TableRows(np.load(path, mmap_mode="r", allow_pickle=False))
    from endd.training.cache.parquet import ParquetRows

    return ParquetRows(path)


def _collated(rows: list[Any]) -> Any:
    batch = default_collate(rows)
    return alone(batch) if isinstance(batch, Mapping) else batch


def _nested(work: Any, table: Any) -> Any:
    if isinstance(table, Mapping):
        return {name: _nested(work, value) for name, value in table.items()}
    if isinstance(table, tuple | list):
        return tuple(_nested(work, value) for value in table)
    return work(table)


def _sliced(table: Any, start: int, stop: int) -> Any:
    return _nested(lambda leaf: leaf[start:stop] if isinstance(leaf, Tensor) else _copied(leaf, start, stop), table)


def _copied(array: Any, start: int, stop: int) -> Any:
    """Rows of an array as one of their own, for tensors must be such as can be written to."""
    rows = np.array(array[start:stop])
    whole = getattr(array, "base", None)
    if isinstance(whole, mmap.mmap) and hasattr(whole, "madvise"):
        whole.madvise(mmap.MADV_DONTNEED)  # what was read counts as ours no longer: memory stays flat
    return rows


def _first(table: Any) -> Any:
    leaves: list[Any] = []
    _nested(leaves.append, table)
    if not leaves or not all(isinstance(leaf, Tensor | np.ndarray) and leaf.ndim for leaf in leaves):
        raise TypeError(
            "Expected inputs as tensors, arrays, a dict or tuple of them, a dataset or the name of a .npy or Parquet "
            f"file, but got {describe(table)}."
        )
    if len({len(leaf) for leaf in leaves}) > 1 or not len(leaves[0]):
        sizes = sorted({len(leaf) for leaf in leaves})
        raise ValueError(f"Expected inputs with the same number of rows, at least one, but got {sizes} rows.")
    return leaves[0]


class _Mapped:
    """Where a mapped file lies, in place of its content."""

    def __init__(self, array: Any) -> None:
        self.settings = (str(array.filename), array.dtype, "r", array.offset, array.shape)
        self.order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"

    @staticmethod
    def of(leaf: Any) -> Any:
        """The leaf, or its place; a part of a mapped file does not know where it begins."""
        whole = isinstance(leaf, np.memmap) and isinstance(leaf.base, mmap.mmap) and leaf.filename is not None
        return _Mapped(leaf) if whole else leaf

    def open(self) -> Any:
        """The mapped file."""
        return np.memmap(*self.settings, order=self.order)  # type: ignore[call-overload]


def row_bytes(nest: Any) -> int:
    """Bytes of a row."""
    total = 0

    def count(tensor: Tensor) -> None:
        nonlocal total
        total += tensor[0].numel() * tensor.element_size()

    _nested(count, nest)
    return total


def count_of(nest: Any) -> int:
    """Rows of a nest of tensors."""
    return len(first_tensor(nest))


def joined(parts: list[Any]) -> Any:
    """Nests of the same kind, one after another."""
    first = parts[0]
    if isinstance(first, Mapping):
        return {name: joined([part[name] for part in parts]) for name in first}
    if isinstance(first, tuple | list):
        return tuple(joined([part[place] for part in parts]) for place in range(len(first)))
    return torch.cat(parts)
