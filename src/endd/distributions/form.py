"""How a network's raw outputs become a distribution over z."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from torch import Tensor
from torch.distributions import Distribution

from endd._checks import describe


class Form(Protocol):
    """Anything with these two methods can be a Student's `v`: a distribution class, or `Class.of(...)`."""

    def raw_size(self, P: int) -> int:
        """How many raw numbers a distribution over P parameters takes."""
        ...

    def from_raw(self, raw: Tensor) -> Distribution:
        """The distribution that raw numbers (*batch, raw_size) stand for."""
        ...


@dataclass(frozen=True)
class Configured:
    """A distribution class with its options: `LowRankNormal.of(rank=4)`."""

    kind: Any
    options: dict[str, Any] = field(default_factory=dict)

    def raw_size(self, P: int) -> int:
        """How many raw numbers a distribution over P parameters takes."""
        return int(self.kind.raw_size(P, **self.options))

    def from_raw(self, raw: Tensor) -> Distribution:
        """The distribution that raw numbers stand for."""
        v = self.kind.from_raw(raw, **self.options)
        assert isinstance(v, Distribution)
        return v

    def __repr__(self) -> str:
        shown = {name: value.__name__ if isinstance(value, type) else value for name, value in self.options.items()}
        options = ", ".join(f"{name}={value}" for name, value in shown.items())
        return f"{self.kind.__name__}.of({options})"


def split_raw(raw: Tensor, per_parameter: int, kind: str) -> int:
    """P, from raw numbers that come `per_parameter` to a parameter."""
    P, rest = divmod(raw.shape[-1], per_parameter)
    if rest or P == 0:
        raise ValueError(
            f"Expected a multiple of {per_parameter} raw numbers for a {kind}, but got {describe(raw)}. "
            "endd.num_outputs(family, v) says how many outputs the network needs."
        )
    return P
