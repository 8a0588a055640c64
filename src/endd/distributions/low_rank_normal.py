"""A normal whose covariance is a few directions plus a diagonal, for many parameters."""

from typing import Any

import torch
from torch import Tensor
from torch.distributions import constraints
from torch.nn import functional

from endd._checks import broadcast_batch, check_floating, describe, expand_batch
from endd._elementary import softplus
from endd.distributions.form import split_raw
from endd.distributions.normal import MIN_SCALE, Normal, describe_distribution


class LowRankNormal(Normal):
    """v(z) = N(z; loc, F F' + diag(d)): loc (*batch, P), factor F (*batch, P, r), diagonal d > 0 (*batch, P).

    As in torch's LowRankMultivariateNormal, d holds variances. No P x P matrix is ever formed: with
    G = D^-1/2 F and u = D^-1/2 r, the quadratic form is the least-squares problem

        r' S^-1 r = min_w |u - G w|^2 + |w|^2,   log|S| = log|D| + log|I + G'G|,

    the squared distance of (u, 0) from the span of the columns of (G, I), which loses no digits to cancellation.

    >>> LowRankNormal(torch.zeros(4, 10), torch.zeros(4, 10, 3), torch.ones(4, 10))
    LowRankNormal(batch=(4,), P=10, rank=3)
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "factor": constraints.independent(constraints.real, 2),
        "diagonal": constraints.independent(constraints.positive, 1),
    }

    loc: Tensor
    factor: Tensor
    diagonal: Tensor

    def __init__(self, loc: Tensor, factor: Tensor, diagonal: Tensor, validate_args: bool | None = None) -> None:
        check_floating("loc", loc)
        if factor.ndim < 2 or factor.shape[-2] != loc.shape[-1]:
            raise ValueError(
                f"Expected `factor` of shape (..., {loc.shape[-1]}, rank) for loc of shape {tuple(loc.shape)}, "
                f"but got {describe(factor)}."
            )
        batch = broadcast_batch(loc.shape[:-1], factor.shape[:-2], diagonal.shape[:-1])
        self.loc, self.factor = expand_batch(loc, batch, 1), expand_batch(factor, batch, 2)
        self.diagonal = diagonal.expand(*batch, loc.shape[-1])
        super().__init__(batch, loc.shape[-1:], validate_args=validate_args)

    @property
    def rank(self) -> int:
        """r, the number of directions."""
        return self.factor.shape[-1]

    @classmethod
    def raw_size(cls, P: int, *, rank: int = 4, **_: Any) -> int:
        """loc, scale and `rank` numbers a parameter."""
        return P * (2 + rank)

    @classmethod
    def from_raw(cls, raw: Tensor, *, rank: int = 4, min_scale: float = MIN_SCALE) -> "LowRankNormal":
        """loc, then d = (softplus(raw) + min_scale)^2, then the factor row by row."""
        P = split_raw(raw, 2 + rank, cls.__name__)
        loc, scale, factor = raw.split([P, P, P * rank], -1)
        diagonal = (softplus(scale) + min_scale).square()
        return cls(loc, factor.unflatten(-1, (P, rank)), diagonal, validate_args=False)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "LowRankNormal":
        """The same distribution over a larger batch."""
        loc, diagonal = self.loc.expand(*batch_shape, -1), self.diagonal.expand(*batch_shape, -1)
        return LowRankNormal(loc, self.factor.expand(*batch_shape, -1, -1), diagonal, validate_args=False)

    @property
    def variance(self) -> Tensor:
        """The diagonal of F F' + diag(d)."""
        return self.factor.square().sum(-1) + self.diagonal

    @property
    def noise_size(self) -> int:
        """r + P."""
        return self.rank + self.loc.shape[-1]

    def color(self, noise: Tensor) -> Tensor:
        """F e_1 + sqrt(d) e_2."""
        shared, own = noise.split([self.rank, self.loc.shape[-1]], -1)
        along: Tensor = (self.factor @ shared.unsqueeze(-1)).squeeze(-1)
        apart: Tensor = self.diagonal.sqrt() * own
        return along + apart

    def at_points(self, points: Tensor) -> Tensor:
        """loc + F e_1 + sqrt(d) e_2."""
        shared, own = points.split([self.rank, self.loc.shape[-1]], -1)
        # one matrix product for the whole batch, whose entries are its columns
        flat = functional.linear(shared, self.factor.flatten(0, -2), self.loc.flatten())
        along: Tensor = flat.reshape(len(points), *self.loc.shape)
        return torch.addcmul(along, self.diagonal.sqrt(), own.reshape(len(own), *[1] * len(self.batch_shape), -1))

    def whiten(self, residual: Tensor) -> tuple[Tensor, Tensor]:
        """What is left of (u, 0) off the columns of (G, I), P + r numbers, and log|D| + log|I + G'G|."""
        scale = self.diagonal.to(residual.dtype).sqrt()
        G = self.factor.to(residual.dtype) / scale.unsqueeze(-1)
        eye = torch.eye(self.rank, dtype=G.dtype, device=G.device).expand(*self.batch_shape, -1, -1)
        Q, norms = _orthonormal(torch.cat([G, eye], -2))
        u = torch.cat([residual / scale, residual.new_zeros(*residual.shape[:-1], self.rank)], -1)
        return _without(Q, u), 2 * (scale.log().sum(-1) + norms.log().sum(-1))

    def rows(self) -> Tensor:
        """(F, diag(sqrt d))."""
        return torch.cat([self.factor, torch.diag_embed(self.diagonal.sqrt())], -1)

    def __repr__(self) -> str:
        return describe_distribution(self, rank=self.rank)


def _along(Q: Tensor, u: Tensor) -> Tensor:
    """The part of u (..., n) in the span of the orthonormal columns of Q (*batch, n, r)."""
    return torch.einsum("...nr,...r->...n", Q, torch.einsum("...nr,...n->...r", Q, u))


def _without(Q: Tensor, u: Tensor) -> Tensor:
    """The rest of u. A second pass removes what rounding left of it in the span, which in float64 is nothing."""
    left = u - _along(Q, u)
    return left if u.dtype == torch.float64 else left - _along(Q, left)


def _orthonormal(columns: Tensor) -> tuple[Tensor, Tensor]:
    """Orthonormal columns (*batch, n, r) with the same span, and what each added to it, (*batch, r).

    Gram-Schmidt, which runs as a few batched products; the columns of (G, I) are at least 1 apart, so nothing is
    divided by 0 however parallel those of G are.
    """
    found: list[Tensor] = []
    norms: list[Tensor] = []
    for column in columns.unbind(-1):
        left = column
        if found:
            left = _without(torch.stack(found, -1), left)
        norm = left.square().sum(-1, keepdim=True).sqrt()
        found.append(left / norm)
        norms.append(norm)
    if not found:
        return columns, columns.new_zeros(*columns.shape[:-2], 0)
    return torch.stack(found, -1), torch.cat(norms, -1)
