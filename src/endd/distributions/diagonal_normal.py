"""Independent normals, one for each parameter."""

from typing import Any

import torch
from torch import Tensor
from torch.distributions import constraints

from endd._checks import check_floating
from endd._elementary import softplus
from endd.distributions.form import split_raw
from endd.distributions.normal import MIN_SCALE, Normal


class DiagonalNormal(Normal):
    """v(z) = prod_p N(z_p; loc_p, scale_p^2); loc and scale of shape (*batch, P).

    >>> DiagonalNormal(torch.zeros(4, 2), torch.ones(4, 2))
    DiagonalNormal(batch=(4,), P=2)
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "scale": constraints.independent(constraints.positive, 1),
    }

    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Tensor, scale: Tensor, validate_args: bool | None = None) -> None:
        check_floating("loc", loc)
        self.loc, self.scale = torch.broadcast_tensors(loc, scale)
        super().__init__(self.loc.shape[:-1], self.loc.shape[-1:], validate_args=validate_args)

    @classmethod
    def raw_size(cls, P: int, **_: Any) -> int:
        """Two numbers a parameter."""
        return 2 * P

    @classmethod
    def from_raw(cls, raw: Tensor, *, min_scale: float = MIN_SCALE) -> "DiagonalNormal":
        """loc, then scale = softplus(raw) + min_scale."""
        P = split_raw(raw, 2, cls.__name__)
        loc, scale = raw.split(P, -1)
        return cls(loc, softplus(scale) + min_scale, validate_args=False)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "DiagonalNormal":
        """The same distribution over a larger batch."""
        shape = torch.Size([*batch_shape, *self.event_shape])
        return type(self)(self.loc.expand(shape), self.scale.expand(shape), validate_args=False)

    @property
    def variance(self) -> Tensor:
        """scale^2."""
        return self.scale.square()

    @property
    def noise_size(self) -> int:
        """P."""
        return self.loc.shape[-1]

    def color(self, noise: Tensor) -> Tensor:
        """scale * e."""
        return self.scale * noise

    def at_points(self, points: Tensor) -> Tensor:
        """loc + scale * e."""
        return self.loc + self.scale * points.reshape(len(points), *[1] * len(self.batch_shape), -1)

    def whiten(self, residual: Tensor) -> tuple[Tensor, Tensor]:
        """r / scale, and 2 sum log scale."""
        scale = self.scale.to(residual.dtype)
        return residual / scale, 2 * scale.log().sum(-1)

    def rows(self) -> Tensor:
        """diag(scale)."""
        return torch.diag_embed(self.scale)
