"""Inputs and outputs of any module: tensors, tuples, dicts, Hugging Face batches and ModelOutputs."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from endd._checks import describe

#: Which part of a module's output is z: a key or attribute, an index, or a function; None for a plain tensor.
Output = str | int | Callable[[Any], Tensor] | None
#: Bounds of how many rows a network is asked about at a time, and how many numbers these hold on a CPU: as many as 128
#: images of 3 x 32 x 32, which a ResNet-20 answers in a fraction of the time that they take in parts of 4096.
FEWEST_ROWS, MOST_ROWS, NUMBERS_AT_ONCE = 16, 4096, 128 * 3 * 32 * 32


def to_model(inputs: Any, module: nn.Module) -> Any:
    """Inputs on the module's device; floating point ones in its dtype too."""
    like = _first_floating(module)
    return inputs if like is None and not isinstance(inputs, np.ndarray) else _moved(inputs, like)


def _first_floating(module: nn.Module) -> Tensor | None:
    """The first floating point parameter, in the order of `parameters`, without its generators."""
    for parameter in module._parameters.values():
        if parameter is not None and parameter.is_floating_point():
            return parameter
    for child in module._modules.values():
        found = None if child is None else _first_floating(child)
        if found is not None:
            return found
    return None


def _moved(inputs: Any, like: Tensor | None) -> Any:
    if isinstance(inputs, np.ndarray):
        inputs = torch.as_tensor(inputs)
    if isinstance(inputs, Tensor):
        if like is None:
            return inputs
        return inputs.to(like.device, like.dtype if inputs.is_floating_point() else inputs.dtype)
    if isinstance(inputs, Mapping):
        return {name: _moved(value, like) for name, value in inputs.items()}
    if isinstance(inputs, tuple | list):
        return tuple(_moved(value, like) for value in inputs)
    if inputs is None or isinstance(inputs, bool | int | float | str):
        return inputs
    raise TypeError(
        f"Expected inputs as a tensor, an array, or a dict or tuple of them, but got {describe(inputs)}. "
        "Use torch.as_tensor(x)."
    )


def as_arguments(inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """How a module is called with its inputs: a dict by name, a tuple by position, anything else as one argument."""
    if isinstance(inputs, Mapping):
        return (), dict(inputs)
    if isinstance(inputs, tuple | list):
        return tuple(inputs), {}
    return (inputs,), {}


def count_rows(inputs: Any) -> int:
    """The size of the batch: the first dimension of the first tensor."""
    arguments, named = as_arguments(inputs)
    sizes = [len(value) for value in (*arguments, *named.values()) if isinstance(value, Tensor) and value.ndim]
    return sizes[0] if sizes else 1


def rows_at_once(inputs: Any, module: nn.Module) -> int:
    """How many rows to ask a network about at a time: on a CPU, so few that what it makes of them stays in the caches.

    >>> rows_at_once(torch.zeros(10_000, 3, 32, 32), nn.Linear(32, 2))
    128
    >>> rows_at_once(torch.zeros(10_000, 8), nn.Linear(8, 2))
    4096
    """
    tensors = [tensor for tensor in _tensors(inputs) if tensor.ndim]
    numbers = sum(math.prod(tensor.shape[1:]) for tensor in tensors)
    like = _first_floating(module)
    there = {tensor.device.type for tensor in tensors} if like is None else {like.device.type}
    if numbers == 0 or there != {"cpu"}:
        return MOST_ROWS
    return min(MOST_ROWS, max(FEWEST_ROWS, NUMBERS_AT_ONCE // numbers))


def _tensors(inputs: Any) -> Iterator[Tensor]:
    """All tensors in a nest of them."""
    if isinstance(inputs, Tensor | np.ndarray):
        yield torch.as_tensor(inputs)
    elif isinstance(inputs, Mapping | tuple | list):
        for value in inputs.values() if isinstance(inputs, Mapping) else inputs:
            yield from _tensors(value)


def take_rows(inputs: Any, rows: Tensor | slice) -> Any:
    """Those rows of every tensor: a slice of them, or a mask (B,) for what is a batch of B."""
    if isinstance(inputs, np.ndarray):
        inputs = torch.as_tensor(inputs)
    if isinstance(inputs, Tensor):
        if isinstance(rows, slice):
            return inputs[rows]
        return inputs[rows.to(inputs.device)] if inputs.ndim and len(inputs) == len(rows) else inputs
    if isinstance(inputs, Mapping):
        return {name: take_rows(value, rows) for name, value in inputs.items()}
    return tuple(take_rows(value, rows) for value in inputs) if isinstance(inputs, tuple | list) else inputs


def pick_output(result: Any, output: Output) -> Tensor:
    """z out of whatever a module returned."""
    z: Any
    if callable(output):
        z = output(result)
    elif output is None:
        z = result
    elif isinstance(result, Mapping) or (isinstance(output, int) and isinstance(result, Sequence)):
        z = _entry(result, output)
    else:
        z = getattr(result, str(output), None)
    if isinstance(z, Tensor):
        # log-densities want at least float32, also under autocast
        return z.float() if z.dtype in (torch.float16, torch.bfloat16) else z
    names = f" with entries {', '.join(map(str, result))}" if isinstance(result, Mapping) else ""
    raise TypeError(
        f"Expected a tensor of raw outputs from the network, but got a {type(result).__name__}{names}. "
        "Say which part is z with output='logits' (a key or attribute), an index or a function."
    )


def through_head(features: Tensor, head: nn.Module | None) -> Tensor:
    """What a student's own head makes of features, at least in float32."""
    return features if head is None else pick_output(head(to_model(features, head)), None)


def _entry(result: Any, key: str | int) -> Any:
    try:
        return result[key]
    except (KeyError, IndexError):
        return None
