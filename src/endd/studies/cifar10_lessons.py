"""What students of the CIFAR-10 study learn from: pixels and what members say about them, made once for all."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, NamedTuple

from torch import Tensor

from endd.studies.cifar10_config import Config
from endd.training import Recipe

# The settings that no lesson depends on; any other one makes a lesson of its own.
NOT_OF_LESSONS: dict[str, Any] = {
    **{"seeds": 1, "first_seed": 0, "together": 1, "groups": (), "models": ()},
    **{"width": 1, "student": Recipe(), "warm": None, "warm_views": 1},
    **{"late": None, "late_views": 1, "late_warm": False},
    **{"mean_weight": 0.0, "epistemic_weight": 0.0},
}


class Lesson(NamedTuple):
    """A pool, and what the members say about it, z (M, N, K)."""

    pool: Tensor
    labels: Tensor


class Lessons:
    """Lessons kept for the next students, who may be of another kind or width: the last of a repeat, `most` repeats."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.kept: dict[int, tuple[Hashable, Lesson]] = {}

    def get(self, seed: int, about: Hashable, make: Callable[[], Lesson]) -> Lesson:
        """What was made for a repeat, if it is about the same, or is made now in its place or that of the oldest."""
        before, lesson = self.kept.get(seed, (None, None))
        if lesson is None or before != about:
            self.forget(seed)  # first, so that the two never take room together
            while len(self.kept) >= self.most:
                self.forget(next(iter(self.kept)))
            lesson = make()
            self.kept[seed] = about, lesson
        return lesson

    def forget(self, seed: int) -> None:
        """Make room: nobody learns from the lesson of this repeat as it is any more."""
        self.kept.pop(seed, None)


def about(config: Config) -> Hashable:
    """What tells one lesson of a repeat from another: the settings that its pixels and labels depend on."""
    return replace(config, **NOT_OF_LESSONS), config.student.precision
