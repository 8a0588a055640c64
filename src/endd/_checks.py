"""Error messages: what was expected, what came, what to do."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

# A message is a line: so much of a value is in it.
MOST_SAID = 120


def describe(value: Any) -> str:
    """A value in a few words: 'a float32 tensor of shape (32, 1)'."""
    if isinstance(value, Tensor):
        return f"a {str(value.dtype).removeprefix('torch.')} tensor of shape {tuple(value.shape)}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    said = repr(value)
    short = said if len(said) <= MOST_SAID else f"{said[:MOST_SAID].splitlines()[0]} ..."
    return f"{short} ({type(value).__name__})"


def check_option(name: str, value: str, options: Iterable[str]) -> None:
    """Raise unless `value` is one of the named `options`."""
    known = list(options)
    if value not in known:
        raise ValueError(f"Expected `{name}` to be one of {', '.join(map(repr, known))}, but got {value!r}.")


def check_positive(name: str, value: float) -> None:
    """Raise unless `value` is a finite number above zero."""
    if not 0 < value < float("inf"):
        raise ValueError(f"Expected `{name}` to be a finite number above 0, but got {value!r}.")


def check_floating(name: str, value: Any) -> None:
    """Raise unless `value` is a floating point tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"Expected `{name}` to be a tensor, but got {describe(value)}. Use torch.as_tensor({name}).")
    if not value.is_floating_point():
        raise TypeError(
            f"Expected `{name}` to be a floating point tensor, but got {describe(value)}. Use {name}.float()."
        )


def check_parameters(z: Any, num_parameters: int, family: Any) -> None:
    """Raise unless z is a floating point tensor with `num_parameters` entries in its last dimension."""
    check_floating("z", z)
    if z.ndim == 0 or z.shape[-1] != num_parameters:
        raise ValueError(
            f"Expected `z` with {num_parameters} parameters in its last dimension for {family}, "
            f"but got {describe(z)}. Give the network {num_parameters} outputs."
        )


def check_target(y: Any, batch: Sequence[int], event: Sequence[int] = (), *, samples: bool = False) -> None:
    """Raise unless y has shape `batch + event`; with `samples`, further dimensions may stand in front.

    Broadcasting a (B, 1) target against a batch (B,) silently gives (B, B): it is refused here.
    """
    if not isinstance(y, Tensor):
        raise TypeError(f"Expected `y` to be a tensor, but got {describe(y)}. Use torch.as_tensor(y).")
    expected = tuple(batch) + tuple(event)
    shape = tuple(y.shape)
    fits = shape == expected or (samples and shape[len(shape) - len(expected) :] == expected)
    if fits:
        return
    advice = f"Reshape y to {expected}."
    if shape == (*expected, 1):
        advice = "Use y.squeeze(-1)."
    elif (*shape, 1) == expected:
        advice = "Use y.unsqueeze(-1)."
    raise ValueError(f"Expected `y` of shape {expected}, but got {shape}. {advice}")


def broadcast_batch(*shapes: torch.Size) -> torch.Size:
    """The common batch shape. Equal shapes are the rule, and torch's own function takes 30 us to see it."""
    first, *rest = shapes
    if all(shape == first for shape in rest):
        return first
    return torch.Size(torch.broadcast_shapes(*shapes))


def expand_batch(tensor: Tensor, batch: torch.Size, event_dim: int) -> Tensor:
    """The tensor over a batch, itself if it is already."""
    if tensor.shape[: tensor.ndim - event_dim] == batch:
        return tensor
    return tensor.expand(*batch, *[-1] * event_dim)


def check_finite(name: str, value: Tensor, advice: str) -> None:
    """Raise, naming the first bad rows, unless every entry of `value` is finite."""
    if math.isfinite(float(value.detach().sum())):
        return  # one pass instead of three; a sum that overflows is looked at again below
    finite = torch.isfinite(value)
    if bool(finite.all()):
        return
    rows = finite.reshape(len(finite) if finite.ndim else 1, -1).all(-1).logical_not().nonzero().flatten().tolist()
    named = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
    raise ValueError(f"Expected finite {name}, but got NaN or infinity in {len(rows)} rows ({named}). {advice}")
