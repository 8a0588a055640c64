"""Hydra (Tran et al. 2020): one trunk with a head for each member, and head j learns member j."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.distributions import Distribution, kl_divergence

from endd._checks import check_positive, describe
from endd.distributions import Atoms, Members, Point
from endd.families import Family, MultivariateGaussian
from endd.objectives.base import Objective, check_teacher
from endd.objectives.mixture import MixtureDistillation


@dataclass(frozen=True)
class HydraDistillation(Objective):
    """sum_j w_j E_{y ~ q_j} [-log q(y; h_j)]: the cross-entropy of member j and head j, paired by their number.

    The student is `Student(net, family, v=Members.of(size=M))`: its M P raw outputs are the heads h (M, *batch, P), all
    layers before them the shared trunk. Each head is a mixture-distilled student of one member, so the cross-entropy is
    exact for classes, in closed form for Gaussians, and by the family's nodes otherwise; it is least where h_j gives
    the q of z_j. Heads count equally in the student's v, whatever the weights that they were taught with.

    temperature: for logits; members and heads are both divided by it.

    >>> import endd
    >>> heads = endd.Members.of(size=10).from_raw(torch.randn(32, 20))
    >>> HydraDistillation(endd.families.Gaussian())(heads, endd.Members(torch.randn(10, 32, 2))).shape
    torch.Size([32])
    """

    family: Family
    temperature: float = 1.0

    def __post_init__(self) -> None:
        check_positive("temperature", self.temperature)

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        """The loss of each example, (B,)."""
        if not isinstance(v, Members):
            raise TypeError(f"Expected a student with v=endd.Members.of(size=M), but got {describe(v)}.")
        check_teacher(v, teacher)
        if len(v.atoms) != len(teacher.atoms):
            raise ValueError(
                f"Expected a head for each member, but got {len(v.atoms)} heads and {len(teacher.atoms)} members. Use "
                f"v=endd.Members.of(size={len(teacher.atoms)}), and hold out inputs rather than members."
            )
        return torch.einsum("m,m...->...", teacher.weights, self._cross_entropies(teacher.atoms, v.atoms))

    def _cross_entropies(self, z: Tensor, h: Tensor) -> Tensor:
        """Those of each member and its head, (M, B)."""
        if isinstance(self.family, MultivariateGaussian) and self.temperature == 1:
            return kl_divergence(self.family(z), self.family(h)) + self.family.entropy(z)
        # the number of the head is one more dimension of the batch, over which each has a teacher of one member
        alone = Members(z.unsqueeze(0), validate_args=False)
        return MixtureDistillation(self.family, self.temperature)(Point(h, validate_args=False), alone)
