"""A number with its pedigree."""

from typing import NamedTuple

import torch
from torch import Tensor

#: How a number was obtained, best first.
METHODS = ("exact", "quadrature", "qmc", "sampled")


class Integral(NamedTuple):
    """The value of an integral over v, how it was obtained and how far off it may be.

    method: "exact" (closed form or a finite sum), "quadrature" (one-dimensional grid), "qmc" (fixed Sobol points)
    or "sampled" (fixed-seed draws). error: the declared bound on |value - truth|, of the value's shape.
    """

    value: Tensor
    method: str
    error: Tensor


def exact(value: Tensor) -> Integral:
    """A value without error but for rounding."""
    return Integral(value, "exact", torch.zeros_like(value))


def approximate(value: Tensor, method: str, relative: float, absolute: float = 0.0) -> Integral:
    """A value with a declared error."""
    if method == "exact":
        return exact(value)
    return Integral(value, method, relative * value.detach().abs() + absolute)


def worst(*methods: str) -> str:
    """The least exact of several methods."""
    return max(methods, key=METHODS.index)
