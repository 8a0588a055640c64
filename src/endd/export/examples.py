"""Inputs to trace a model with: their names, and which of their axes may have any length."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim

from endd.models import Ensemble, Model, Student
from endd.models.inputs import to_model
from endd.nn import MLP, DenseNet, ResNet

BATCH = Dim("batch", min=1)


def example_of(model: Model) -> Tensor:
    """Inputs for a network of endd.nn, whose shape it knows itself."""
    net: Any = model.net if isinstance(model, Student) else None
    if isinstance(model, Ensemble):
        net = model.members[0]
    if isinstance(net, MLP):
        return _zeros_for(net, next(net.parameters()).shape[-1])
    if isinstance(net, ResNet | DenseNet):
        return _zeros_for(net, 3, 32, 32)
    raise ValueError(
        f"Expected an example of the inputs for a {type(net).__name__}, but got none: endd knows only the shapes of "
        "its own networks. Pass export_onnx(model, path, example=x)."
    )


def _zeros_for(net: nn.Module, *shape: int) -> Tensor:
    return torch.zeros(2, *shape, dtype=next(net.parameters()).dtype)


def as_example(model: Model, inputs: Any) -> Any:
    """Inputs in the model's dtype, with two rows at least, because a lone one is no batch."""
    return _each(to_model(inputs, model), _twice)


def _twice(value: Any) -> Any:
    return torch.cat([value, value]) if isinstance(value, Tensor) and value.ndim else value


def _each(inputs: Any, change: Callable[[Any], Any]) -> Any:
    """A tensor, or all entries of a dict or a tuple, changed."""
    if isinstance(inputs, Mapping):
        return {name: change(value) for name, value in inputs.items()}
    return tuple(map(change, inputs)) if isinstance(inputs, tuple) else change(inputs)


def input_names(inputs: Any) -> list[str]:
    """A lone tensor is x, others by their names or places."""
    if isinstance(inputs, Tensor):
        return ["x"]
    named = inputs if isinstance(inputs, Mapping) else {f"x{place}": value for place, value in enumerate(inputs)}
    return [name for name, value in named.items() if isinstance(value, Tensor)]


def dynamic_axes(inputs: Any) -> Any:
    """The batch always; of named inputs and of tokens also every other axis whose length the network leaves open."""
    named = isinstance(inputs, Mapping)
    return _each(inputs, lambda value: _axes(value, free=named or _is_tokens(value)))


def batch_axes(inputs: Any) -> Any:
    """The batch alone."""
    return _each(inputs, lambda value: _axes(value, free=False))


def _is_tokens(value: Any) -> bool:
    return isinstance(value, Tensor) and value.ndim == 2 and value.dtype in (torch.int32, torch.int64)


def _axes(value: Any, free: bool) -> Any:
    if not isinstance(value, Tensor):
        return None
    rest = Dim.AUTO if free else Dim.STATIC
    return {axis: rest if axis else BATCH for axis in range(value.ndim)}
