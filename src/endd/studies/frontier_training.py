"""The models of the frontier: parts of a teacher that is there, and single networks and students of other widths."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor

from endd.models import Ensemble, Model
from endd.nn import ResNet
from endd.studies.cifar10_config import Config as Study
from endd.studies.cifar10_images import Pictures
from endd.studies.cifar10_methods import CLASSES, FAMILY
from endd.studies.cifar10_training import SEEDS_APART, Workshop
from endd.studies.training import seeded
from endd.training import Recipe

# The first seed of single networks, far from those of members, students and samplers.
SINGLE_SEEDS = 3_000_000
# The settings that no pool depends on; any other one makes a pool of its own.
NOT_OF_POOLS: dict[str, Any] = {"width": 1, "student": Recipe(), "mean_weight": 0.0, "epistemic_weight": 0.0}


class Lessons:
    """Pools and what members say about them, kept for the next students; those of `most` repeats at a time."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.kept: dict[tuple[str, Hashable], Tensor] = {}

    def get(self, what: str, about: Hashable, make: Callable[[], Tensor]) -> Tensor:
        """What was made for a repeat and its settings, or is made now in the place of the oldest."""
        if (what, about) not in self.kept:
            while len([1 for kind, _ in self.kept if kind == what]) >= self.most:
                del self.kept[next(key for key in self.kept if key[0] == what)]
            self.kept[what, about] = make()
        return self.kept[what, about]


class StudentsWorkshop(Workshop):
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
        super().__init__(study, pictures, out, progress, kinds, f"models/{shelf}")
        self.teacher, self.lessons = teacher, lessons

    def pool(self, seed: int) -> Tensor:
        """What students of all widths learn from."""
        return self.lessons.get("pool", self._about(seed), partial(super().pool, seed))

    def _labels(self, seed: int, pool: Tensor) -> Tensor:
        return self.lessons.get("labels", self._about(seed), partial(super()._labels, seed, pool))

    def _about(self, seed: int) -> Hashable:
        return seed, replace(self.config, **NOT_OF_POOLS)

    def _members(self, seed: int) -> Path:
        return self.teacher / "members" / str(seed)


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
