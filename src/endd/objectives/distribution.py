"""Distribution distillation: the student's density at the members' parameters."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._transforms import wide_dtype
from endd.distributions import Atoms, Normal
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

    def summary(self, v: Distribution, teacher: Atoms) -> tuple[Tensor, Tensor] | None:
        """Mean and factored covariance of the members: a normal's likelihood depends on nothing else."""
        members, *_, P = teacher.atoms.shape
        return moments_of(teacher) if isinstance(v, Normal) and members > P + 1 else None

    def on_summary(self, v: Distribution, summary: tuple[Tensor, Tensor]) -> Tensor:
        """The loss of each example, (B,)."""
        assert isinstance(v, Normal)
        return -v.expected_log_prob(*summary)


def moments_of(teacher: Atoms) -> tuple[Tensor, Tensor]:
    """Mean (*batch, P) and lower triangular C (*batch, P, P) with C C' the covariance.

    By Gram and Schmidt on the columns of weighted residuals, which never forms the covariance: members that agree to
    many digits keep theirs.
    """
    wide = wide_dtype(teacher.atoms)
    atoms, weights = teacher.atoms.to(wide), teacher.weights.to(wide)
    weights = weights / weights.sum()  # 1 to single precision only
    mean = torch.einsum("m,m...->...", weights, atoms)
    rest = list(torch.einsum("m,m...->...m", weights.sqrt(), atoms - mean).unbind(-2))
    factor = torch.zeros(*mean.shape, mean.shape[-1], dtype=wide, device=mean.device)
    for q, column in enumerate(rest):
        length = torch.linalg.vector_norm(column, dim=-1, keepdim=True)
        direction = column / length.clamp(min=torch.finfo(wide).tiny)
        factor[..., q, q] = length.squeeze(-1)
        for p in range(q + 1, len(rest)):
            along = (rest[p] * direction).sum(-1, keepdim=True)
            factor[..., p, q] = along.squeeze(-1)
            rest[p] = rest[p] - along * direction
    return mean.to(teacher.atoms.dtype), factor.to(teacher.atoms.dtype)


def mean_and_spread(family: Family, weight: float, mean: Objective | None = None) -> Objective:
    """(1 - weight) x distribution distillation / P + weight x mixture distillation (or another `mean` objective).

    weight 0 learns the members' whole distribution, 1 only its mean prediction; between them it trades the one
    against the other. Dividing by P puts the two terms on the same footing for any number of parameters.
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"Expected `weight` from 0 (spread) to 1 (mean), but got {weight}.")
    spread = (1 - weight) / family.num_parameters * DistributionDistillation()
    return spread + weight * (MixtureDistillation(family) if mean is None else mean)
