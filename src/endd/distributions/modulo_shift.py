"""A normal over logits, which are only defined up to a shift."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.distributions import Distribution, constraints

from endd._checks import describe
from endd._transforms import wide_dtype
from endd.distributions.form import Configured, Form
from endd.distributions.low_rank_normal import LowRankNormal
from endd.distributions.normal import Normal


class ModuloShift(Distribution):
    """The density of logits z when z and z + t are the same thing: log int N(z + t 1; loc, S) dt.

    With a = W 1 and b = W (z - loc), where W'W = S^-1, completing the square in t gives

        log v(z) = -1/2 [ (K - 1) log 2 pi + log|S| + log a'a + |b - a (a'b) / (a'a)|^2 ],

    a density over the K - 1 numbers that are left once one logit is fixed. Draws are those of the base.

    >>> v = ModuloShift(LowRankNormal.from_raw(torch.randn(5, 60), rank=4))
    >>> z = v.sample()
    >>> torch.allclose(v.log_prob(z), v.log_prob(z + 7), atol=1e-4)
    True
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    support = constraints.real_vector
    has_rsample = True
    shift_invariant = True

    def __init__(self, base: Normal, validate_args: bool | None = None) -> None:
        if not isinstance(base, Normal):
            raise TypeError(
                f"Expected a DiagonalNormal, FullNormal or LowRankNormal as the base, but got {describe(base)}."
            )
        self.base = base
        super().__init__(base.batch_shape, base.event_shape, validate_args=validate_args)

    @classmethod
    def of(cls, base: Form = LowRankNormal, **options: Any) -> Configured:
        """Modulo shift over a base: ModuloShift.of(DiagonalNormal), ModuloShift.of(LowRankNormal.of(rank=2))."""
        return Configured(cls, {"base": base, **options})

    @classmethod
    def raw_size(cls, P: int, *, base: Form = LowRankNormal) -> int:
        """Those of the base."""
        return base.raw_size(P)

    @classmethod
    def from_raw(cls, raw: Tensor, *, base: Form = LowRankNormal) -> "ModuloShift":
        """The base from raw numbers, modulo shift."""
        return cls(base.from_raw(raw), validate_args=False)  # type: ignore[arg-type]  # checked there

    def expand(self, batch_shape: Any, _instance: Any = None) -> "ModuloShift":
        """The same distribution over a larger batch."""
        return ModuloShift(self.base.expand(batch_shape), validate_args=False)

    @property
    def mean(self) -> Tensor:
        """The base's, one of the equivalent logit vectors."""
        return self.base.mean

    @property
    def variance(self) -> Tensor:
        """The base's."""
        return self.base.variance

    @property
    def noise_size(self) -> int:
        """The base's."""
        return self.base.noise_size

    def at_points(self, points: Tensor) -> Tensor:
        """The base's."""
        return self.base.at_points(points)

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = ()) -> Tensor:
        """A differentiable draw from the base."""
        return self.base.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """log of the density modulo shift."""
        if self._validate_args:
            self._validate_sample(value)
        residual = value.to(wide_dtype(self.base.loc)) - self.base.loc
        # the direction 1 is whitened along with the residuals, as one more of them
        one = torch.ones_like(self.base.loc, dtype=residual.dtype)
        flat = residual.reshape(-1, *self.batch_shape, *self.event_shape)
        white, log_det = self.base.whiten(torch.cat([one.unsqueeze(0), flat]))
        a, b = white[0], white[1:].reshape(*residual.shape[:-1], -1)
        aa = a.square().sum(-1, keepdim=True)
        square = (b - a * ((a * b).sum(-1, keepdim=True) / aa)).square().sum(-1)
        K = self.event_shape[0]
        constant = (K - 1) * math.log(2 * math.pi) + log_det + aa.squeeze(-1).log()
        return (-(constant + square) / 2).to(self.base.loc.dtype)

    def __repr__(self) -> str:
        return f"ModuloShift({self.base!r})"
