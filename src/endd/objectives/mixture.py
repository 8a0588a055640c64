"""Mixture distillation: the student's marginal against the ensemble's."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.distributions import Distribution

from endd._checks import check_positive
from endd.distributions import Atoms, Members, Point
from endd.families import Family, Gaussian
from endd.integrals import marginal
from endd.integrals.marginals import Marginal
from endd.objectives.base import Objective, check_teacher
from endd.objectives.moments import MomentDistillation


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
        moments = self._moments(v)
        if moments is not None:
            return moments(v, teacher)
        student = marginal(self.family, v)
        assert isinstance(student, Marginal)
        values, weights, _ = self.family.nodes(teacher.atoms, teacher.weights)
        return -(weights * student.log_density(values)).sum(0)

    def summary(self, v: Distribution, teacher: Atoms) -> Any:
        """The mixture's two moments for a Gaussian point."""
        moments = self._moments(v)
        return None if moments is None else moments.summary(v, teacher)

    def on_summary(self, v: Distribution, summary: Any) -> Tensor:
        """The loss of each example, (B,)."""
        moments = self._moments(v)
        return super().on_summary(v, summary) if moments is None else moments.on_summary(v, summary)

    def _moments(self, v: Distribution) -> MomentDistillation | None:
        """The closed form of a Gaussian point."""
        closed = isinstance(self.family, Gaussian) and isinstance(v, Point) and self.temperature == 1
        return MomentDistillation(self.family) if closed else None  # type: ignore[arg-type]

    def _tempered(self, v: Distribution, teacher: Atoms) -> tuple[Distribution, Atoms]:
        if not (isinstance(v, Point) and self.family.default_measure == "entropy"):
            raise ValueError(
                f"Expected a Point student over logits with temperature {self.temperature}, but got {v} with "
                f"{self.family}. Use temperature=1."
            )
        # checked when the teacher was made
        cooled = Members(teacher.atoms / self.temperature, teacher.weights, validate_args=False)
        return Point(v.z / self.temperature), cooled
