"""A number with its pedigree."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

#: How a number was obtained, best first.
METHODS = ("exact", "quadrature", "qmc", "sampled")
#: What atoms that stand for v may be off by: (relative, absolute).
ATOM_ERROR = {"exact": (0.0, 0.0), "quadrature": (0.002, 0.001), "qmc": (0.08, 0.02), "sampled": (0.3, 0.15)}
#: The same where the integrand has heavy tails under v, as a log-likelihood of a continuous y has.
TAIL_ERROR = {"exact": (0.0, 0.0), "quadrature": (0.01, 0.005), "qmc": (0.2, 0.05), "sampled": (1.0, 0.5)}


@dataclass(frozen=True)
class Integral:
    """The value of an integral over v, how it was obtained and how far off it may be.

    method: "exact" (closed form or a finite sum), "quadrature" (one-dimensional grid), "qmc" (fixed Sobol points)
    or "sampled" (fixed-seed draws). relative, absolute: the declared error. lost: says for which inputs the rule is
    outside its range.
    """

    value: Tensor
    method: str
    relative: float = 0.0
    absolute: float | Tensor = 0.0
    lost: Callable[[], Tensor] | None = None

    @property
    def error(self) -> Tensor:
        """The declared bound on |value - truth|, of the value's shape; infinite outside the rule's range."""
        bound = self.relative * self.value.detach().abs() + self.absolute
        return bound if self.lost is None else bound.masked_fill(self.lost(), torch.inf)


def exact(value: Tensor) -> Integral:
    """A value without error but for rounding."""
    return Integral(value, "exact")


def approximate(value: Tensor, method: str, relative: float, absolute: float = 0.0) -> Integral:
    """A value with a declared error."""
    return exact(value) if method == "exact" else Integral(value, method, relative, absolute)


def from_atoms(value: Tensor, method: str, *, tail: bool = False) -> Integral:
    """A sum over atoms that stand for v; `tail` if the integrand is unbounded in z."""
    return approximate(value, method, *(TAIL_ERROR if tail else ATOM_ERROR)[method])


def unless(result: Integral, lost: Callable[[], Tensor]) -> Integral:
    """The result, its error infinite for those inputs that lie outside the range of the rule."""
    return Integral(result.value, result.method, result.relative, result.absolute, lost)


def worst(*methods: str) -> str:
    """The least exact of several methods."""
    return max(methods, key=METHODS.index)
