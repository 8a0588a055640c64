"""Networks that look at every image and at its mirror image: a student of that kind, and the members as they are."""

from collections.abc import Collection
from typing import Any, Self

from endd.models import Ensemble, Model
from endd.nn import symmetric
from endd.studies.cifar10_evaluation import SINGLE, SYMMETRIC, SYMMETRIC_SINGLE
from endd.studies.cifar10_methods import FAMILY
from endd.studies.cifar10_outputs import ENSEMBLE
from endd.studies.cifar10_training import Workshop


class SymmetricWorkshop(Workshop):
    """A workshop that also asks the members about both sides, without training: what a student gains, they gain too."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._wanted = True

    def only(self, models: Collection[str]) -> Self:
        """The same workshop for some of its models; each single network is one of the ensemble."""
        self._wanted = not {SYMMETRIC, SYMMETRIC_SINGLE}.isdisjoint(models)
        return super().only(models)

    def students(self, seed: int) -> dict[str, Model]:
        """The trained one and the members."""
        asked = {SYMMETRIC: self._both_sides(seed)} if self._wanted else {}
        return super().students(seed) | asked

    def has_students(self, seed: int) -> bool:
        """Whether the trained one is there, where it is wanted."""
        return not self.kinds or super().has_students(seed)

    def seconds(self, seed: int) -> dict[str, float]:
        """The members took what they took, where they are asked."""
        taken = super().seconds(seed)
        return taken | ({SYMMETRIC: taken[ENSEMBLE], SYMMETRIC_SINGLE: taken[SINGLE]} if self._wanted else {})

    def _both_sides(self, seed: int) -> Model:
        members: Any = self.members(seed).members
        return self.ready(Ensemble([symmetric(member) for member in members], FAMILY))
