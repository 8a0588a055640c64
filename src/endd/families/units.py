"""The user's units: the distribution of shift + scale * y."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.distributions import (
    AffineTransform,
    Distribution,
    MultivariateNormal,
    Normal,
    TransformedDistribution,
)

from endd._checks import check_positive

#: A number, or one number per entry of a vector y. Plain numbers, so that a family can be written as JSON.
Units = float | tuple[float, ...]


def check_units(shift: Any, scale: Any, event_shape: torch.Size) -> None:
    """Raise unless shift and scale are numbers that suit one y: a number, or one for each entry of a vector."""
    for name, value in (("shift", shift), ("scale", scale)):
        numbers = value if isinstance(value, tuple) else (value,)
        fits = not isinstance(value, tuple) or torch.Size([len(value)]) == event_shape
        if not (fits and all(isinstance(n, int | float) and math.isfinite(n) for n in numbers)):
            size = f" or a tuple of {event_shape[0]}" if event_shape else ""
            raise ValueError(f"Expected `{name}` to be a finite number{size}, but got {value!r}. Use float(...).")
        if name == "scale":
            for number in numbers:
                check_positive("scale", number)


class Rescaled(TransformedDistribution):
    """The distribution of shift + scale * y for any y, with the moments and the entropy that torch leaves out."""

    def __init__(self, base: Distribution, shift: Tensor, scale: Tensor) -> None:
        # one scale for each entry of a vector, because torch counts a lone one only once in log|scale|
        self.shift, self.scale = shift, scale.expand(base.event_shape)
        transform = AffineTransform(shift, self.scale, event_dim=len(base.event_shape))
        super().__init__(base, [transform], validate_args=False)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "Rescaled":
        """The same distribution over a larger batch."""
        return Rescaled(self.base_dist.expand(batch_shape), self.shift, self.scale)

    @property
    def mean(self) -> Tensor:
        """shift + scale * E[y]."""
        return self.shift + self.scale * self.base_dist.mean

    @property
    def variance(self) -> Tensor:
        """scale^2 Var[y]."""
        return self.scale.square() * self.base_dist.variance

    def entropy(self) -> Tensor:
        """H[y] + log|scale|, summed over the entries of a vector y."""
        return self.base_dist.entropy() + self.scale.log().sum()


def rescale(q: Distribution, shift: Units, scale: Units) -> Distribution:
    """q in the user's units; normals stay normals, so that their closed forms stay."""
    if shift == 0.0 and scale == 1.0:
        return q
    like = q.mean
    b = torch.as_tensor(shift, dtype=like.dtype, device=like.device)
    a = torch.as_tensor(scale, dtype=like.dtype, device=like.device)
    if isinstance(q, Normal):
        return Normal(b + a * q.loc, a * q.scale, validate_args=False)
    if isinstance(q, MultivariateNormal):
        scale_tril = a.expand(q.event_shape).unsqueeze(-1) * q.scale_tril
        return MultivariateNormal(b + a * q.loc, scale_tril=scale_tril, validate_args=False)
    return Rescaled(q, b, a)
