"""The user's units: the distribution of shift + scale * y."""

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

#: A number, or one number per entry of a vector y. Plain numbers, so that a family can be written as JSON.
Units = float | tuple[float, ...]


class Rescaled(TransformedDistribution):
    """The distribution of shift + scale * y for any y, with the moments and the entropy that torch leaves out."""

    def __init__(self, base: Distribution, shift: Tensor, scale: Tensor) -> None:
        self.shift, self.scale = shift, scale
        super().__init__(base, [AffineTransform(shift, scale, event_dim=len(base.event_shape))], validate_args=False)

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
        log_scale = self.scale.log().expand(self.event_shape).sum()
        return self.base_dist.entropy() + log_scale


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
