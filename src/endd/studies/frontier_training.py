"""The models of the frontier: parts of a teacher that is there, and single networks and students of other widths."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from endd.models import Ensemble, Model
from endd.nn import ResNet
from endd.studies.cifar10_config import Config as Study
from endd.studies.cifar10_images import Pictures
from endd.studies.cifar10_lessons import Lessons
from endd.studies.cifar10_methods import CLASSES, FAMILY
from endd.studies.cifar10_training import SEEDS_APART
from endd.studies.cifar10_warm import WarmWorkshop
from endd.studies.training import seeded

# The first seed of single networks, far from those of members, students and samplers.
SINGLE_SEEDS = 3_000_000


class StudentsWorkshop(WarmWorkshop):
    """Students of one width, whose teacher lies in a folder of its own; weights are kept in out/models/SHELF.

    teacher: that folder. lessons: shared by all widths.
    """

    study = "frontier"

    def __init__(
        self,
        study: Study,
        pictures: Pictures,
        out: Path,
        progress: str,
        kinds: Mapping[str, Any],
        shelf: str,
        *,
        teacher: Path,
        lessons: Lessons,
    ) -> None:
        super().__init__(study, pictures, out, progress, kinds, f"models/{shelf}", lessons, teacher)


class SinglesWorkshop(StudentsWorkshop):
    """Networks of one width that learn from labels, as members do; those of all repeats side by side."""

    def _taught(self, seeds: list[int], run: Path) -> dict[Path, Any]:
        (name,) = self.kinds
        networks = [seeded(SINGLE_SEEDS + SEEDS_APART * seed, self._alone) for seed in seeds]
        together = Ensemble([network for one in networks for network in one.members], FAMILY)
        self.fit(together, SINGLE_SEEDS + SEEDS_APART * seeds[0], run)
        return {self._students(seed) / name: network for seed, network in zip(seeds, networks, strict=True)}

    def _alone(self) -> Ensemble:
        return Ensemble([ResNet(self.config.depth, CLASSES, self.config.width)], FAMILY)


class PartsWorkshop(StudentsWorkshop):
    """The first members of the teacher, as many as each kind says: nothing is trained."""

    def students(self, seed: int) -> dict[str, Model]:
        """Ensembles by name."""
        members = list(self.members(seed).members)
        return {name: Ensemble(members[:size], FAMILY) for name, size in self.kinds.items()}

    def has_students(self, seed: int) -> bool:
        """Whether the members are there."""
        return self.has_members(seed)

    def seconds(self, seed: int) -> dict[str, float]:
        """A part takes its share of the teacher's time."""
        shares = super().seconds(seed)
        return shares | {name: size * shares["single"] for name, size in self.kinds.items()}

    def _students(self, seed: int) -> Path:
        return self._members(seed)
