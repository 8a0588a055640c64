"""Moment distillation: the mean and variance of the student's marginal against those of the ensemble's."""

import math
from dataclasses import dataclass

from torch import Tensor
from torch.distributions import Distribution

from endd.distributions import Atoms
from endd.families import Gaussian
from endd.integrals import integrals_of
from endd.objectives.base import Objective, check_teacher


@dataclass(frozen=True)
class MomentDistillation(Objective):
    """1/2 [log 2 pi s + (V + (m~ - m)^2) / s]: m, s of the student's marginal, m~, V of the teacher's mixture.

    The cross-entropy from the teacher's mixture to a normal with the student's two moments, least at m = m~, s = V.
    For a Point student it is mixture distillation itself; for a density it leaves the marginal's shape to other terms
    and costs a fraction of it.
    """

    family: Gaussian

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        """The loss of each example, (B,)."""
        check_teacher(v, teacher)
        return self.on_summary(v, self.summary(v, teacher))

    def summary(self, v: Distribution, teacher: Atoms) -> tuple[Tensor, Tensor]:
        """m~ and V."""
        # the mean of y is linear in z, so it may be taken at the mean of z
        return self.family.mean(teacher.mean), self._variance(teacher)

    def on_summary(self, v: Distribution, summary: tuple[Tensor, Tensor]) -> Tensor:
        """The loss of each example, (B,)."""
        mean, spread = summary
        variance = self._variance(v)
        apart = (mean - self.family.mean(v.mean)).square()
        return ((2 * math.pi * variance).log() + (spread + apart) / variance) / 2

    def _variance(self, v: Distribution) -> Tensor:
        integrals = integrals_of(self.family, v)
        return integrals.expected_variance().value + integrals.variance_of_mean().value
