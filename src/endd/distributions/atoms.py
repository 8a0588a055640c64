"""Distributions over z that are a handful of points."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor
from torch.distributions import Distribution, constraints


class Atoms(Distribution, ABC):
    """Weighted points z_1..z_M: what an ensemble, a posterior sampler or a single network says about z."""

    arg_constraints: dict[str, constraints.Constraint] = {}
    support = constraints.real_vector
    has_rsample = False
    shift_invariant = False

    @property
    @abstractmethod
    def atoms(self) -> Tensor:
        """z, (M, *batch, P)."""

    @property
    @abstractmethod
    def weights(self) -> Tensor:
        """(M,), summing to 1."""

    def without_zero_weights(self) -> "Atoms":
        """Those atoms that count."""
        return self

    def _average(self, values: Tensor) -> Tensor:
        return values[0] if len(values) == 1 else torch.einsum("m,m...->...", self.weights, values)

    @property
    def mean(self) -> Tensor:
        """sum_j w_j z_j."""
        return self._average(self.atoms)

    @property
    def variance(self) -> Tensor:
        """sum_j w_j (z_j - mean)^2, the population variance."""
        return self._average((self.atoms - self.mean).square())

    def sample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = ()) -> Tensor:
        """Atoms picked at random by their weights, for every batch entry on its own."""
        shape = torch.Size([*sample_shape, *self.batch_shape])
        pick = torch.multinomial(self.weights, max(shape.numel(), 1), replacement=True)[: shape.numel()].reshape(shape)
        draws = torch.Size(sample_shape).numel()
        index = pick.reshape(draws, *self.batch_shape, 1).expand(draws, *self.batch_shape, *self.event_shape)
        return self.atoms.gather(0, index).reshape(*shape, *self.event_shape).detach()

    def log_prob(self, value: Tensor) -> Tensor:
        """Points have no density."""
        raise TypeError(
            f"{type(self).__name__} has no density over z, so log_prob is not defined. To train a student that is a "
            "single point, use the mixture objective (endd.objectives.MixtureDistillation)."
        )
