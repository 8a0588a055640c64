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

    def __init_subclass__(cls, **options: Any) -> None:
        """A subclass with a loss of its own has no summary unless it says so: its parent's is of another loss."""
        super().__init_subclass__(**options)
        if "__call__" in vars(cls) and "summary" not in vars(cls):
            cls.summary = Objective.summary  # type: ignore[method-assign]

    def at(self, epoch: int) -> "Objective":
        """This objective as it stands in an epoch (from 0): schedules move in here."""
        return self

    def summary(self, v: Distribution, teacher: Atoms) -> Any:
        """All that this objective needs to know of the members for a v of this kind, or None: the members themselves.

        Tensors (*batch, ...), or tuples of them. A table of members is summed up once, and no step works on all M.
        """
        return None

    def on_summary(self, v: Distribution, summary: Any) -> Tensor:
        """The loss of each example, (B,), from a summary of the members."""
        raise NotImplementedError(f"{type(self).__name__} needs the members themselves.")

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
        return _sum([weight * term(v, teacher, y) for weight, term in self._counting()])

    def summary(self, v: Distribution, teacher: Atoms) -> Any:
        """Those of all terms, or None where one needs the members: the others then look at them too."""
        parts = [term.summary(v, teacher) for _, term in self._counting()]
        return None if any(part is None for part in parts) else tuple(parts)

    def on_summary(self, v: Distribution, summary: Any) -> Tensor:
        """The weighted losses added up."""
        terms = zip(self._counting(), summary, strict=True)
        return _sum([weight * term.on_summary(v, part) for (weight, term), part in terms])

    def _counting(self) -> list[tuple[float, Objective]]:
        counting = [(weight, term) for weight, term in self.terms if weight != 0]
        if not counting:
            raise ValueError("Expected at least one term with a weight other than 0, but got none.")
        return counting

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


def _sum(losses: list[Tensor]) -> Tensor:
    return sum(losses[1:], losses[0])


def _terms(objective: Objective) -> tuple[tuple[float, Objective], ...]:
    return objective.terms if isinstance(objective, WeightedSum) else ((1.0, objective),)
