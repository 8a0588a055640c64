"""Dirichlet distillation (Malinin et al. 2019): temperature, central smoothing and annealing."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._checks import check_positive, describe
from endd.distributions import Atoms, Dirichlet
from endd.objectives.base import Objective, check_teacher


@dataclass(frozen=True)
class Annealing:
    """A temperature that holds at `start` for `hold` epochs and then falls by `decay` an epoch down to `end`.

    >>> [round(Annealing()(epoch), 2) for epoch in (0, 49, 50, 51, 200)]
    [10.0, 10.0, 9.5, 9.03, 1.0]
    """

    start: float = 10.0
    hold: int = 50
    decay: float = 0.95
    end: float = 1.0

    def __call__(self, epoch: int) -> float:
        """The temperature in an epoch, counted from 0."""
        falls = max(epoch - self.hold + 1, 0)
        return max(self.start * self.decay**falls, self.end)


@dataclass(frozen=True)
class DirichletDistillation(Objective):
    """-sum_j w_j log Dir(p_j; a^(1/T)) with p_j the members' probabilities, smoothed towards the centre.

    A student's concentration a = exp(raw) at temperature T is exp(raw / T) = a^(1/T). Smoothing,
    p <- (1 - s) p + s / K, keeps log p moderate where a member is certain. Without it (smoothing=0, and no annealing:
    the plain likelihood) log p is taken from the logits, finite but as large as they are.

    temper_teacher: divide the members' logits by T as well. annealing: overrides `temperature` epoch by epoch.
    """

    temperature: float = 1.0
    smoothing: float = 1e-4
    annealing: Annealing | None = None
    temper_teacher: bool = False

    def __post_init__(self) -> None:
        check_positive("temperature", self.temperature)
        if not 0 <= self.smoothing < 1:
            raise ValueError(f"Expected `smoothing` from 0 to below 1, but got {self.smoothing}.")

    def at(self, epoch: int) -> "DirichletDistillation":
        """With the annealed temperature of an epoch."""
        return self if self.annealing is None else replace(self, temperature=self.annealing(epoch))

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        """The loss of each example, (B,)."""
        if not isinstance(v, Dirichlet):
            raise TypeError(f"Expected a student with v=endd.Dirichlet, but got {describe(v)}.")
        check_teacher(v, teacher)
        T = self.temperature
        log_probs = (teacher.atoms / (T if self.temper_teacher else 1.0)).log_softmax(-1)
        if self.smoothing:
            K = log_probs.shape[-1]
            log_probs = ((1 - self.smoothing) * log_probs.exp() + self.smoothing / K).log()
        return -torch.einsum("m,m...->...", teacher.weights, v.tempered(T).log_prob(log_probs))
