"""A normal with a full covariance, for a handful of parameters."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.distributions import constraints

from endd._checks import broadcast_batch, check_floating, describe, expand_batch
from endd._transforms import tril_from_raw, tril_size
from endd.distributions.normal import MIN_SCALE, Normal

# Up to so many parameters a triangular system is solved by elimination.
MAX_ELIMINATED = 3


class FullNormal(Normal):
    """v(z) = N(z; loc, L L') with loc (*batch, P) and a lower triangular L = scale_tril (*batch, P, P).

    >>> FullNormal(torch.zeros(4, 2), torch.eye(2)).covariance_matrix.shape
    torch.Size([4, 2, 2])
    """

    arg_constraints = {"loc": constraints.real_vector, "scale_tril": constraints.lower_cholesky}

    loc: Tensor
    scale_tril: Tensor

    def __init__(self, loc: Tensor, scale_tril: Tensor, validate_args: bool | None = None) -> None:
        check_floating("loc", loc)
        if scale_tril.ndim < 2 or scale_tril.shape[-2:] != (loc.shape[-1], loc.shape[-1]):
            raise ValueError(
                f"Expected `scale_tril` of shape (..., {loc.shape[-1]}, {loc.shape[-1]}) for loc of shape "
                f"{tuple(loc.shape)}, but got {describe(scale_tril)}."
            )
        batch = broadcast_batch(loc.shape[:-1], scale_tril.shape[:-2])
        self.loc, self.scale_tril = expand_batch(loc, batch, 1), expand_batch(scale_tril, batch, 2)
        super().__init__(batch, loc.shape[-1:], validate_args=validate_args)

    @classmethod
    def raw_size(cls, P: int, **_: Any) -> int:
        """loc and a triangle."""
        return P + tril_size(P)

    @classmethod
    def from_raw(cls, raw: Tensor, *, min_scale: float = MIN_SCALE) -> "FullNormal":
        """loc, then L: its diagonal is softplus(raw) + min_scale, the rest is free."""
        P = _parameters(raw)
        loc, triangle = raw.split_with_sizes([P, raw.shape[-1] - P], -1)
        return cls(loc, tril_from_raw(triangle, P, min_scale), validate_args=False)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "FullNormal":
        """The same distribution over a larger batch."""
        loc, scale_tril = self.loc.expand(*batch_shape, -1), self.scale_tril.expand(*batch_shape, -1, -1)
        return FullNormal(loc, scale_tril, validate_args=False)

    @property
    def variance(self) -> Tensor:
        """The diagonal of L L'."""
        return self.scale_tril.square().sum(-1)

    @property
    def noise_size(self) -> int:
        """P."""
        return self.loc.shape[-1]

    def color(self, noise: Tensor) -> Tensor:
        """L e."""
        return (self.scale_tril @ noise.unsqueeze(-1)).squeeze(-1)

    def at_points(self, points: Tensor) -> Tensor:
        """loc + L e."""
        return self.loc + torch.einsum("...pn,sn->s...p", self.scale_tril, points)

    def whiten(self, residual: Tensor) -> tuple[Tensor, Tensor]:
        """L^-1 r, and 2 sum log L_pp."""
        L = self.scale_tril.to(residual.dtype)
        if self.event_shape[0] <= MAX_ELIMINATED:
            return _eliminate(L, residual)
        # draws as columns of one system for each batch entry, not as systems of their own: ten times as fast
        columns = residual.reshape(-1, *self.batch_shape, *self.event_shape).movedim(0, -1)
        white = torch.linalg.solve_triangular(L, columns, upper=False).movedim(-1, 0).reshape(residual.shape)
        return white, 2 * torch.diagonal(L, dim1=-2, dim2=-1).log().sum(-1)

    def rows(self) -> Tensor:
        """L."""
        return self.scale_tril


def _eliminate(L: Tensor, residual: Tensor) -> tuple[Tensor, Tensor]:
    """L^-1 r row by row, each for the whole batch at once: for a few rows far quicker than a library's solver.

    All entries of L are taken out of it at once: their gradients then come back as one tensor.
    """
    P = L.shape[-1]
    entries = L.flatten(-2).unbind(-1)
    white: list[Tensor] = []
    for p, rest in enumerate(residual.unbind(-1)):
        for q, known in enumerate(white):
            rest = rest - entries[P * p + q] * known
        white.append(rest / entries[(P + 1) * p])
    logs = [entry.log() for entry in entries[:: P + 1]]
    return torch.stack(white, -1), 2 * sum(logs[1:], logs[0])


def _parameters(raw: Tensor) -> int:
    """P, from P + P (P + 1) / 2 raw numbers."""
    P = (math.isqrt(8 * raw.shape[-1] + 9) - 3) // 2
    if P < 1 or FullNormal.raw_size(P) != raw.shape[-1]:
        raise ValueError(
            f"Expected 2, 5, 9, 14, ... raw numbers for a FullNormal over 1, 2, 3, 4, ... parameters, but got "
            f"{describe(raw)}. endd.num_outputs(family, v) says how many outputs the network needs."
        )
    return P
