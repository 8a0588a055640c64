"""Epistemic distillation: the size of the members' disagreement, as the student says it."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd.distributions import Atoms
from endd.families import Family
from endd.integrals import integrals_of
from endd.objectives.base import Objective, check_teacher


@dataclass(frozen=True)
class EpistemicDistillation(Objective):
    """e log(e / s) - e + s, where e is the teacher's epistemic uncertainty of an input and s is the student's.

    A likelihood cannot tell members who disagree from a student who missed their mean: both widen v, and the student
    overstates what members agree on. This term looks at the epistemic part alone, in the family's own measure: mutual
    information for classes, the variance of the mean for numbers. It is 0 where the parts agree, and among all s that
    an input may be given it is least at the mean of e, so that on average the student's part has the teacher's size. It
    says nothing of the prediction: add it to another objective.

    >>> import endd
    >>> family = endd.families.Categorical(3)
    >>> v = endd.ModuloShift(endd.DiagonalNormal(torch.zeros(8, 3), torch.ones(8, 3)))
    >>> EpistemicDistillation(family)(v, endd.Members(torch.randn(5, 8, 3))).shape
    torch.Size([8])
    """

    family: Family

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        """The loss of each example, (B,)."""
        check_teacher(v, teacher)
        return self.on_summary(v, self.summary(v, teacher))

    def summary(self, v: Distribution, teacher: Atoms) -> Tensor:
        """e, (B,)."""
        return self._part(teacher)

    def on_summary(self, v: Distribution, summary: Tensor) -> Tensor:
        """The loss of each example, (B,)."""
        student = self._part(v)
        # where a part is 0 to the last digit its logarithm is that of the smallest number, and has no gradient
        least = torch.finfo(student.dtype).tiny
        logs = summary.clamp(min=least).log() - student.clamp(min=least).log()
        return summary * logs - summary + student

    def _part(self, v: Distribution) -> Tensor:
        integrals = integrals_of(self.family, v)
        if self.family.default_measure == "entropy":
            return integrals.information().value
        return integrals.variance_of_mean().value.reshape(*v.batch_shape, -1).sum(-1)
