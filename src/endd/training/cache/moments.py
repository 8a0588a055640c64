"""Members as their mean and covariance, and back as points that have the same."""

import torch
from torch import Tensor

from endd.distributions import Members
from endd.objectives.distribution import moments_of


def packed_moments(z: Tensor, weights: Tensor | None = None) -> Tensor:
    """(n, P + P (P + 1) / 2) from z (M, n, P): the mean, then the lower triangle of C with C C' the covariance."""
    mean, factor = moments_of(Members(z, weights))
    P = z.shape[-1]
    row, column = torch.tril_indices(P, P)
    return torch.cat([mean, factor[..., row, column]], -1)


def sigma_points(packed: Tensor, P: int) -> Tensor:
    """2 P points (2 P, n, P), mean +- sqrt(P) C e_p, whose mean and covariance are the packed ones.

    A normal's log-density is quadratic in z, so its average over these points is that over the members.
    """
    mean, entries = packed[..., :P], packed[..., P:]
    factor = packed.new_zeros(*packed.shape[:-1], P, P)
    row, column = torch.tril_indices(P, P)
    factor[..., row, column] = entries
    away = P**0.5 * factor.movedim(-1, 0)
    return torch.cat([mean + away, mean - away])
