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
    **{"width": 1, "student": Recipe(), "warm": None, "warm_views": 1, "mean_weight": 0.0, "epistemic_weight": 0.0},
}


class Lesson(NamedTuple):
    """A pool, and what the members say about it, z (M, N, K)."""

    pool: Tensor
    labels: Tensor


class Lessons:
    """Lessons kept for the next students, who may be of another kind or width; `most` at a time."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.kept: dict[Hashable, Lesson] = {}

    def get(self, about: Hashable, make: Callable[[], Lesson]) -> Lesson:
        """What was made for a repeat and its settings, or is made now in the place of the oldest."""
        if about not in self.kept:
            while len(self.kept) >= self.most:
                del self.kept[next(iter(self.kept))]
            self.kept[about] = make()
        return self.kept[about]

    def forget(self, about: Hashable) -> None:
        """Make room: nobody learns from this as it is any more."""
        self.kept.pop(about, None)


def about(config: Config, seed: int) -> Hashable:
    """What tells one lesson from another: a repeat, and the settings that its pixels depend on."""
    return seed, replace(config, **NOT_OF_LESSONS)
