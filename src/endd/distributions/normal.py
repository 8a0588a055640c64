"""What all normal distributions over z share."""

import math
from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor
from torch.distributions import Distribution, constraints

from endd._transforms import wide_dtype
from endd.distributions.form import Configured

#: The smallest scale that raw outputs can give. Fewer atoms than parameters make the best normal singular.
MIN_SCALE = 1e-3


class Normal(Distribution, ABC):
    """N(loc, S) over z of P numbers, whichever way S = A A' is stored.

    A subclass says how noise is coloured (e -> A e) and how a residual is whitened (r -> W r with W'W = S^-1);
    density, sampling and the quotient by a shift follow from these.
    """

    has_rsample = True
    support = constraints.real_vector
    shift_invariant = False
    loc: Tensor

    @classmethod
    def of(cls, **options: Any) -> Configured:
        """This distribution with options, for `Student(net, family, v=...)`."""
        return Configured(cls, options)

    @property
    @abstractmethod
    def noise_size(self) -> int:
        """How many standard normal numbers one draw takes."""

    @abstractmethod
    def color(self, noise: Tensor) -> Tensor:
        """A e: (..., noise_size) -> (..., P)."""

    @abstractmethod
    def at_points(self, points: Tensor) -> Tensor:
        """loc + A e for fixed points e (S, noise_size), the same for the whole batch: (S, *batch, P)."""

    @abstractmethod
    def whiten(self, residual: Tensor) -> tuple[Tensor, Tensor]:
        """W r with |W r|^2 = r' S^-1 r, and log|S|, both in the precision of r."""

    @abstractmethod
    def rows(self) -> Tensor:
        """A itself, (*batch, P, noise_size): for small P."""

    @property
    def mean(self) -> Tensor:
        """loc."""
        return self.loc

    @property
    def covariance_matrix(self) -> Tensor:
        """S, dense: for small P and for looking at."""
        rows = self.rows()
        return rows @ rows.mT

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = ()) -> Tensor:
        """A differentiable draw."""
        shape = torch.Size([*sample_shape, *self.batch_shape, self.noise_size])
        return self.loc + self.color(torch.randn(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Tensor) -> Tensor:
        """log N(z; loc, S)."""
        if self._validate_args:
            self._validate_sample(value)
        white, log_det = self.whiten(value.to(wide_dtype(self.loc)) - self.loc)
        return self._log_density(white.square().sum(-1), log_det)

    def expected_log_prob(self, mean: Tensor, factor: Tensor) -> Tensor:
        """E log N(z; loc, S) over any z with this mean (*batch, P) and covariance C C', C = factor (*batch, P, P).

        The squared length of W (z - loc) is on average that of W (mean - loc) and of all columns of W C together. In
        the precision of the parameters: it is for training.
        """
        residual = (mean - self.loc).unsqueeze(0)
        white, log_det = self.whiten(torch.cat([residual, factor.movedim(-1, 0)]))
        return self._log_density(white.square().sum((0, -1)), log_det)

    def _log_density(self, square: Tensor, log_det: Tensor) -> Tensor:
        P = self.event_shape[0]
        return (-(P * math.log(2 * math.pi) + log_det + square) / 2).to(self.loc.dtype)

    def entropy(self) -> Tensor:
        """P/2 log(2 pi e) + 1/2 log|S|."""
        _, log_det = self.whiten(torch.zeros_like(self.loc, dtype=wide_dtype(self.loc)))
        P = self.event_shape[0]
        return ((P * math.log(2 * math.pi * math.e) + log_det) / 2).to(self.loc.dtype)

    def __repr__(self) -> str:
        return describe_distribution(self)


def describe_distribution(v: Distribution, **options: Any) -> str:
    """'DiagonalNormal(batch=(32,), P=2)'."""
    parts = {"batch": tuple(v.batch_shape), "P": v.event_shape[0], **options}
    return f"{type(v).__name__}({', '.join(f'{name}={value}' for name, value in parts.items())})"
