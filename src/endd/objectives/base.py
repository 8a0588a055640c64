"""What a training objective is: a loss per example from a student's v and the teacher's members."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.distributions import Distribution

from endd._checks import describe
from endd.distributions import Atoms


class Objective(ABC):
    """objective(v, teacher, y) -> (B,). Objectives add up and take weights:

    >>> from endd.families import Poisson
    >>> from endd.objectives import DistributionDistillation, NegativeLogLikelihood
    >>> DistributionDistillation() + 0.1 * NegativeLogLikelihood(Poisson())
    1 * DistributionDistillation() + 0.1 * NegativeLogLikelihood(family=Poisson())
    """

    @abstractmethod
    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        """The loss of each example, (B,).

        v: the student's distribution, batch (B,). teacher: the members on the same inputs, z (M, B, P). y: targets,
        for the terms that use them.
        """

    def at(self, epoch: int) -> "Objective":
        """This objective as it stands in an epoch (from 0): schedules move in here."""
        return self

    def __add__(self, other: Any) -> "Objective":
        if not isinstance(other, Objective):
            return NotImplemented
        return WeightedSum((*_terms(self), *_terms(other)))

    def __mul__(self, weight: Any) -> "Objective":
        if not isinstance(weight, int | float):
            return NotImplemented
        return WeightedSum(tuple((weight * w, term) for w, term in _terms(self)))

    __rmul__ = __mul__


@dataclass(frozen=True, repr=False)
class WeightedSum(Objective):
    """sum_i weight_i * objective_i."""

    terms: tuple[tuple[float, Objective], ...]

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        """The weighted losses added up; a term of weight 0 is not computed."""
        losses = [weight * term(v, teacher, y) for weight, term in self.terms if weight != 0]
        if not losses:
            raise ValueError("Expected at least one term with a weight other than 0, but got none.")
        return sum(losses[1:], losses[0])

    def at(self, epoch: int) -> Objective:
        """All terms as they stand in an epoch."""
        return WeightedSum(tuple((weight, term.at(epoch)) for weight, term in self.terms))

    def __repr__(self) -> str:
        return " + ".join(f"{weight:g} * {term!r}" for weight, term in self.terms)


def check_teacher(v: Distribution, teacher: Any) -> None:
    """Raise unless the teacher's members are over the same inputs and parameters as v."""
    if not isinstance(teacher, Atoms):
        raise TypeError(f"Expected the teacher's endd.Members(z), but got {describe(teacher)}.")
    if teacher.batch_shape != v.batch_shape or teacher.event_shape != v.event_shape:
        raise ValueError(
            f"Expected teacher and student over the same inputs and parameters, but got {teacher} and {v}."
        )


def _terms(objective: Objective) -> tuple[tuple[float, Objective], ...]:
    return objective.terms if isinstance(objective, WeightedSum) else ((1.0, objective),)
