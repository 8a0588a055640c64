"""Distribution distillation: the student's density at the members' parameters."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd.distributions import Atoms
from endd.families import Family
from endd.objectives.base import Objective, check_teacher
from endd.objectives.mixture import MixtureDistillation


@dataclass(frozen=True)
class DistributionDistillation(Objective):
    """-sum_j w_j log v(z_j; g(x)): no labels needed, any v with a density."""

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        """The loss of each example, (B,)."""
        check_teacher(v, teacher)
        return -torch.einsum("m,m...->...", teacher.weights, v.log_prob(teacher.atoms))


def mean_and_spread(family: Family, weight: float, mean: Objective | None = None) -> Objective:
    """(1 - weight) x distribution distillation / P + weight x mixture distillation (or another `mean` objective).

    weight 0 learns the members' whole distribution, 1 only its mean prediction; between them it trades the one
    against the other. Dividing by P puts the two terms on the same footing for any number of parameters.
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"Expected `weight` from 0 (spread) to 1 (mean), but got {weight}.")
    spread = (1 - weight) / family.num_parameters * DistributionDistillation()
    return spread + weight * (MixtureDistillation(family) if mean is None else mean)
