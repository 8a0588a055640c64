"""Gaussian regression: y ~ N(mean, variance) with both predicted."""

import math
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor
from torch.distributions import Normal

from endd._checks import check_option, check_parameters, check_positive
from endd._elementary import softplus
from endd._transforms import deviations, softplus_inverse
from endd.families.base import Family, Nodes, component_lines, component_nodes
from endd.families.units import check_units


@dataclass(frozen=True)
class Gaussian(Family):
    """q(y; z) = N(y; z_1, softplus(z_2) + min_variance), P = 2, y a number.

    >>> family = Gaussian()
    >>> family(torch.zeros(3, 2)).variance
    tensor([0.6931, 0.6931, 0.6931])
    """

    min_variance: float = 1e-6
    shift: float = 0.0
    scale: float = 1.0
    num_parameters = 2

    def __post_init__(self) -> None:
        check_positive("min_variance", self.min_variance)
        check_units(self.shift, self.scale, self.event_shape)

    def raw_to_variance(self, raw: Tensor) -> Tensor:
        """softplus(raw) + min_variance, in standardised units."""
        return softplus(raw) + self.min_variance

    def standard(self, z: Tensor) -> Normal:
        """The normal in standardised units."""
        return Normal(z[..., 0], self.raw_to_variance(z[..., 1]).sqrt(), validate_args=False)

    def mean(self, z: Tensor) -> Tensor:
        """shift + scale m, without building a distribution."""
        mean = z[..., 0]
        return mean if (self.shift, self.scale) == (0, 1) else self.shift + self.scale * mean

    def variance(self, z: Tensor) -> Tensor:
        """scale^2 s."""
        variance = self.raw_to_variance(z[..., 1])
        return variance if self.scale == 1 else self.scale**2 * variance

    def log_prob(self, z: Tensor, y: Tensor) -> Tensor:
        """-1/2 [log 2 pi s + (y - m)^2 / s], without building a distribution."""
        mean, raw = z.unbind(-1)
        variance = self.raw_to_variance(raw)
        return -((2 * math.pi * variance).log() + (y - mean).square() / variance) / 2

    def pairwise_kl(self, z: Tensor, weights: Tensor) -> Tensor:
        """Mean KL over all pairs of atoms; the log terms cancel and squares are left.

        1/2 E_ij[(m_i - m_j)^2 / v_j] + 1/2 E_ij[v_i / v_j - 1], the second as 1/2 E_j[(1/v_j - 1/h)^2 v_j h]
        with h the harmonic mean of the variances. No unit of y enters.
        """
        return gaussian_pairwise_kl(z[..., 0], self.raw_to_variance(z[..., 1]), weights)

    def nodes(self, z: Tensor, weights: Tensor) -> Nodes:
        """Equally spaced points per component."""
        q = self(z)
        line = component_lines(z)
        return component_nodes(q.mean + q.stddev * line.points, line.weights, weights, "quadrature")

    def canonical(self, outputs: Tensor, form: str = "parameters") -> Tensor:
        """z from "parameters" (z itself) or "moments" (mean and variance in the user's units)."""
        check_option("form", form, ["parameters", "moments"])
        check_parameters(outputs, 2, self)
        if form == "parameters":
            return outputs
        mean = (outputs[..., 0] - self.shift) / self.scale
        variance = outputs[..., 1] / self.scale**2
        if not bool((variance > 0).all()):
            raise ValueError("Expected positive variances in outputs[..., 1], but got zero or less.")
        return torch.stack([mean, softplus_inverse(variance - self.min_variance)], -1)


def gaussian_pairwise_kl(mean: Tensor, variance: Tensor, weights: Tensor, spread: Tensor | None = None) -> Tensor:
    """Mean pairwise KL of normals with means and variances (M, *batch).

    `spread` (M, *batch) is a further variance of each mean, for atoms whose mean is itself uncertain.
    """
    average = partial(torch.einsum, "m,m...->...", weights)
    extra = torch.zeros_like(mean) if spread is None else spread
    squares = deviations(mean, weights).square() + extra
    precision = 1 / variance
    away = deviations(precision, weights)
    means = average(precision * (squares + average(squares)))
    return (means + average(away.square() * variance) / average(precision)) / 2


def gaussian_entropy(variance: Tensor) -> Tensor:
    """1/2 log(2 pi e variance)."""
    return (variance.log() + math.log(2 * math.pi * math.e)) / 2
