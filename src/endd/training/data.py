"""Whatever people have, as tables of tensors."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, default_collate

from endd._checks import describe
from endd.families import Family
from endd.training.tables import first_tensor, map_tensors


def as_inputs(inputs: Any) -> Any:
    """Inputs as a nest of tensors with the same number of rows: arrays, datasets and loaders are read into memory."""
    return check_rows(_as_tensors(_read(inputs)))


def as_examples(data: Any, family: Family) -> tuple[Any, Tensor]:
    """(x, y) from a pair, or from a dataset or loader of pairs; y checked against the family."""
    data = _read(data)
    if not (isinstance(data, tuple | list) and len(data) == 2):
        raise TypeError(
            f"Expected labelled data as a pair (x, y), or a dataset of such pairs, but got {describe(data)}."
        )
    x, y = check_rows(_as_tensors(data[0])), torch.as_tensor(data[1])
    rows = len(first_tensor(x))
    if y.ndim and len(y) != rows:
        raise ValueError(f"Expected as many targets as inputs, but got {len(y)} targets and {rows} inputs.")
    y = family.as_target(y, torch.Size([rows]), torch.get_default_dtype())
    if y.is_floating_point() and not bool(y.isfinite().all()):
        raise ValueError("Expected finite targets, but got NaN or infinity. Drop or repair those rows.")
    return x, y


def check_rows(inputs: Any) -> Any:
    """Inputs, if they have rows, as many in every tensor, and hold no NaN."""
    sizes = set()

    def look(tensor: Tensor) -> Tensor:
        sizes.add(len(tensor) if tensor.ndim else 0)
        if tensor.is_floating_point() and not bool(tensor.isfinite().all()):
            raise ValueError("Expected finite inputs, but got NaN or infinity. Drop or impute those values.")
        return tensor

    map_tensors(look, inputs)
    if len(sizes) != 1 or 0 in sizes:
        raise ValueError(f"Expected inputs with the same number of rows, at least one, but got {sorted(sizes)} rows.")
    return inputs


def _read(data: Any) -> Any:
    """A dataset or loader as one batch; anything else as it is."""
    if isinstance(data, DataLoader):
        return _concatenated(list(data))
    if isinstance(data, Dataset):
        rows = [data[place] for place in range(len(data))]  # type: ignore[arg-type]
        return default_collate(rows) if rows else torch.empty(0)
    return data


def _as_tensors(inputs: Any) -> Any:
    if isinstance(inputs, np.ndarray):
        tensor = torch.as_tensor(inputs)
        return tensor.to(torch.get_default_dtype()) if tensor.is_floating_point() else tensor
    if isinstance(inputs, Mapping):
        return {name: _as_tensors(value) for name, value in inputs.items()}
    if isinstance(inputs, tuple | list):
        return tuple(_as_tensors(value) for value in inputs)
    if isinstance(inputs, Tensor):
        return inputs
    raise TypeError(
        f"Expected inputs as tensors, arrays, a dict or tuple of them, a Dataset or a DataLoader, but got "
        f"{describe(inputs)}. Use torch.as_tensor(x)."
    )


def _concatenated(batches: list[Any]) -> Any:
    if not batches:
        raise ValueError("Expected at least one batch from the DataLoader, but got none.")
    first = batches[0]
    if isinstance(first, Tensor):
        return torch.cat(batches)
    if isinstance(first, Mapping):
        return {name: _concatenated([batch[name] for batch in batches]) for name in first}
    return tuple(_concatenated([batch[place] for batch in batches]) for place in range(len(first)))
