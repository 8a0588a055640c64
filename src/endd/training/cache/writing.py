"""The files of a shard, each written whole or not at all, with the hash of what was meant to be in it."""

import hashlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from endd._files import new_file
from endd.training.cache.moments import packed_moments
from endd.training.cache.records import Plan
from endd.training.cache.rows import Rows


def write_outputs(path: Path, z: Tensor, plan: Plan, span: tuple[int, int]) -> str:
    """A .npy file of z (M, n, P), or of its moments; returns its hash."""
    content = io.BytesIO()
    np.save(content, _contents(z, plan, span), allow_pickle=False)
    return _write(path, content.getbuffer())


def write_inputs(path: Path, rows: Rows, start: int, stop: int) -> str:
    """An .npz file of the rows of a shard; returns its hash."""
    content = io.BytesIO()
    np.savez(content, **_named(rows.read(start, stop)))
    return _write(path, content.getbuffer())


def read_inputs(path: Path) -> Any:
    """What `write_inputs` wrote: a tensor, or a tuple or dict of them."""
    with np.load(path, allow_pickle=False) as found:
        named = {name: torch.as_tensor(found[name]) for name in found.files}
    if list(named) == ["x"]:
        return named["x"]
    if all(name.startswith(".") for name in named):
        return {name[1:]: tensor for name, tensor in named.items()}
    return tuple(named[str(place)] for place in range(len(named)))


def _named(nest: Any) -> dict[str, Any]:
    """Tensors by a name that tells what they were: x itself, the place in a tuple, or a dot and the name."""
    if isinstance(nest, Tensor):
        return {"x": nest.numpy()}
    if isinstance(nest, Mapping) and all(isinstance(value, Tensor) for value in nest.values()):
        return {f".{name}": tensor.numpy() for name, tensor in nest.items()}
    if isinstance(nest, tuple) and all(isinstance(value, Tensor) for value in nest):
        return {str(place): tensor.numpy() for place, tensor in enumerate(nest)}
    raise TypeError("Expected inputs as a tensor, or a flat dict or tuple of them, to keep them, but got nested ones.")


def _contents(z: Tensor, plan: Plan, span: tuple[int, int]) -> Any:
    """What is written of z (M, n, P), in the type of the plan."""
    if plan.contents == "moments":
        z = packed_moments(z, None if plan.weights is None else torch.tensor(plan.weights))
    with np.errstate(over="ignore"):
        array = z.cpu().float().numpy().astype(plan.dtype)
    if not np.isfinite(array).all():
        raise ValueError(
            f"Expected outputs that {plan.dtype} can hold for rows {span[0]} to {span[1] - 1}, but some are larger. "
            "Use dtype='float32'."
        )
    return array


def _write(path: Path, content: Any) -> str:
    with new_file(path) as stream:
        stream.write(content)
    return hashlib.sha256(content).hexdigest()
