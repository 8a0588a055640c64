"""Mixture distillation: the student's marginal against the ensemble's."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._checks import check_positive
from endd.distributions import Atoms, Members, Point
from endd.families import Family, Gaussian
from endd.integrals import integrals_of, marginal
from endd.integrals.marginals import Marginal
from endd.objectives.base import Objective, check_teacher


@dataclass(frozen=True)
class MixtureDistillation(Objective):
    """The cross-entropy -E_{y ~ q~ teacher} log q~ student(y), which is least where the marginals agree.

    Classes and coin tosses are summed exactly; a Gaussian point student has its closed form; other families use the
    values of y that stand for the teacher's mixture. The student may be a Point or any density.

    temperature: for logits of a Point student; teacher and student are both divided by it.
    """

    family: Family
    temperature: float = 1.0

    def __post_init__(self) -> None:
        check_positive("temperature", self.temperature)

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        """The loss of each example, (B,)."""
        check_teacher(v, teacher)
        if self.temperature != 1:
            v, teacher = self._tempered(v, teacher)
        if isinstance(self.family, Gaussian) and isinstance(v, Point):
            return gaussian_cross_entropy(self.family, v, teacher)
        student = marginal(self.family, v)
        assert isinstance(student, Marginal)
        values, weights, _ = self.family.nodes(teacher.atoms, teacher.weights)
        return -(weights * student.log_density(values)).sum(0)

    def _tempered(self, v: Distribution, teacher: Atoms) -> tuple[Distribution, Atoms]:
        if not (isinstance(v, Point) and self.family.default_measure == "entropy"):
            raise ValueError(
                f"Expected a Point student over logits with temperature {self.temperature}, but got {v} with "
                f"{self.family}. Use temperature=1."
            )
        return Point(v.z / self.temperature), Members(teacher.atoms / self.temperature, teacher.weights)


def gaussian_cross_entropy(family: Gaussian, v: Point, teacher: Atoms) -> Tensor:
    """1/2 [log 2 pi s + (V + (m~ - m)^2) / s], with m~, V the mixture's mean and variance; least at m = m~, s = V."""
    integrals = integrals_of(family, teacher)
    spread = integrals.expected_variance().value + integrals.variance_of_mean().value
    centre = torch.einsum("m,m...->...", teacher.weights, family.mean(teacher.atoms))
    mean, variance = family.mean(v.z), family.variance(v.z)
    return ((2 * math.pi * variance).log() + (spread + (centre - mean).square()) / variance) / 2
