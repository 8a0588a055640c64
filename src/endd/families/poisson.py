"""Counts: y = 0, 1, 2, ... with a predicted rate."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.distributions import Poisson as TorchPoisson
from torch.distributions import constraints

from endd._checks import check_option, check_parameters, check_target
from endd._elementary import exporting
from endd._transforms import wide_dtype
from endd.families.base import Nodes, Unitless, check_support
from endd.families.categorical import comonotone_covariance

# Below this rate the entropy is summed over 0..SUMMED_COUNTS, above it the asymptotic series is good to 1e-7.
SERIES_FROM, SUMMED_COUNTS = 40.0, 110

# Counts for each component of a mixture.
COUNTS = 64


class LogPoisson(TorchPoisson):
    """A Poisson distribution that keeps its log rate, so that no tiny rate underflows to -inf."""

    def __init__(self, log_rate: Tensor) -> None:
        self.log_rate = log_rate
        super().__init__(log_rate.exp(), validate_args=False)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "LogPoisson":
        """The same distribution over a larger batch."""
        return LogPoisson(self.log_rate.expand(batch_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """y log(rate) - rate - log y!, summed in double precision."""
        wide = wide_dtype(self.log_rate)
        log_rate, y = self.log_rate.to(wide), value.to(wide)
        return (y * log_rate - log_rate.exp() - torch.lgamma(y + 1)).to(self.log_rate.dtype)

    def cdf(self, value: Tensor) -> Tensor:
        """P(Y <= y) = Q(floor(y) + 1, rate), the regularised upper incomplete gamma function."""
        below = value.floor()
        return torch.where(below < 0, 0.0, torch.special.gammaincc(below.clamp(min=0) + 1, self.rate))

    def entropy(self) -> Tensor:
        """rate (1 - log rate) + E[log y!], or its asymptotic series for large rates."""
        return torch.where(self.rate < SERIES_FROM, self._entropy_sum(), self._entropy_series())

    def _entropy_sum(self) -> Tensor:
        log_rate = self.log_rate.clamp(max=math.log(SERIES_FROM)).unsqueeze(-1)
        y = torch.arange(SUMMED_COUNTS, dtype=log_rate.dtype, device=log_rate.device)
        log_prob = y * log_rate - log_rate.exp() - torch.lgamma(y + 1)
        return -(log_prob.exp() * log_prob).sum(-1)

    def _entropy_series(self) -> Tensor:
        r = 1 / self.rate.clamp(min=SERIES_FROM)
        return (math.log(2 * math.pi * math.e) + self.log_rate) / 2 - r / 12 - r**2 / 24 - 19 * r**3 / 360


@dataclass(frozen=True)
class Poisson(Unitless):
    """q(y; z) = Poisson(exp(z)), P = 1, y a count. z is the log rate, as in torch's PoissonNLLLoss.

    >>> Poisson()(torch.zeros(2, 1)).mean
    tensor([1., 1.])
    """

    num_parameters = 1

    def standard(self, z: Tensor) -> LogPoisson:
        """The distribution over counts; a log rate whose rate would overflow is refused."""
        limit = math.log(torch.finfo(z.dtype).max)
        if not exporting() and bool((z > limit).any()):
            raise ValueError(
                f"Expected log rates of at most {limit:.1f} in {str(z.dtype).removeprefix('torch.')}, but got "
                f"{float(z.max()):.4g}. z is the logarithm of the rate: pass rates with canonical(..., form='rates')."
            )
        return LogPoisson(z[..., 0])

    def pairwise_kl(self, z: Tensor, weights: Tensor) -> Tensor:
        """Cov_j(rate_j, log rate_j)."""
        return comonotone_covariance(z[..., 0], weights)

    def nodes(self, z: Tensor, weights: Tensor) -> Nodes:
        """Counts around each component's mean, weighted by the component's own probabilities.

        Low rates get every count; high ones a window of 12 standard deviations in equal strides.
        """
        q = self(z)
        # counts carry no gradient, and the square root of a rate that underflowed would make it NaN
        rate = q.mean.detach()
        stride = (12 * rate.sqrt() / (COUNTS - 1)).ceil().clamp(min=1)
        start = (rate - 6 * rate.sqrt()).floor().clamp(min=0)
        steps = torch.arange(COUNTS, device=z.device, dtype=z.dtype).reshape(-1, *[1] * (z.ndim - 1))
        y = start + stride * steps
        chances = q.log_prob(y).softmax(0)
        joint = chances * weights.reshape(-1, *[1] * (z.ndim - 2))
        return Nodes(y.flatten(0, 1), joint.flatten(0, 1), "quadrature")

    def as_target(self, y: Any, batch: torch.Size, dtype: torch.dtype, *, samples: bool = False) -> Tensor:
        """y as counts in floating point."""
        check_target(y, batch, samples=samples)
        y = y if y.is_floating_point() else y.to(dtype)
        return check_support(y, constraints.nonnegative_integer, "counts 0, 1, 2, ...")

    def canonical(self, outputs: Tensor, form: str = "parameters") -> Tensor:
        """z from "parameters" (log rates) or "rates"."""
        check_option("form", form, ["parameters", "rates"])
        check_parameters(outputs, 1, self)
        if form == "parameters":
            return outputs
        if not bool((outputs >= 0).all()):
            raise ValueError("Expected rates of at least 0, but got negative ones. Pass log rates as 'parameters'.")
        return outputs.clamp(min=torch.finfo(outputs.dtype).tiny).log()
