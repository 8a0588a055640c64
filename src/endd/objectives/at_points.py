"""An objective of integrals over v, taken at few points."""

from dataclasses import dataclass

from torch import Tensor
from torch.distributions import Distribution

from endd.distributions import Atoms, ModuloShift, Normal
from endd.integrals.base import SharedAtoms
from endd.integrals.points import atoms_of
from endd.objectives.base import Objective, check_teacher


@dataclass(frozen=True)
class AtPoints(Objective):
    """An objective at so many points of a normal v, in the place of v itself.

    Integrals over a normal of several logits are sums over 256 points, which a prediction can afford; a step of
    training that looks at fewer takes a fraction of the time. All terms within look at the same ones. Any other v stays
    as it is.

    >>> import endd, torch
    >>> family = endd.families.Categorical(3)
    >>> from endd.objectives import EpistemicDistillation, MixtureDistillation
    >>> coarse = AtPoints(0.5 * MixtureDistillation(family) + EpistemicDistillation(family), points=32)
    >>> v = endd.ModuloShift(endd.DiagonalNormal(torch.zeros(8, 3), torch.ones(8, 3)))
    >>> coarse(v, endd.Members(torch.randn(5, 8, 3))).shape
    torch.Size([8])
    """

    objective: Objective
    points: int = 64

    def __post_init__(self) -> None:
        if self.points < 2:
            raise ValueError(f"Expected `points` of at least 2, but got {self.points}.")

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        """The loss of each example, (B,)."""
        check_teacher(v, teacher)
        if isinstance(v, Normal | ModuloShift):
            atoms, _ = atoms_of(v, self.points)
            v = SharedAtoms(atoms)
        return self.objective(v, teacher, y)

    def at(self, epoch: int) -> Objective:
        """The objective as it stands in an epoch."""
        return AtPoints(self.objective.at(epoch), self.points)
