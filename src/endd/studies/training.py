"""What the trainings of all studies share: models built under seeds of their own, and the time that each took."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar

import torch

from endd.models import Model
from endd.training import Recipe

# The first seed of students' initial weights, far from those of members.
STUDENT_SEEDS = 1_000_000
ModelT = TypeVar("ModelT", bound=Model)


@dataclass
class Trained:
    """Models by name, one a repeat, and the seconds that each took: its share of a stacked run."""

    models: dict[str, list[Model]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass
class Timer:
    """The seconds of a block."""

    seconds: float = 0.0


@contextmanager
def timed() -> Iterator[Timer]:
    """A timer that stands once the block has ended."""
    timer, start = Timer(), time.perf_counter()
    yield timer
    timer.seconds = time.perf_counter() - start


def say(what: str, progress: str) -> None:
    """Tell what comes next."""
    if progress != "none":
        print(what, file=sys.stderr)


def seeded(seed: int, build: Callable[[], ModelT]) -> ModelT:
    """A model built under a seed of its own; the global generator stays as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        return build()


def options(recipe: Recipe, seed: int) -> dict[str, Any]:
    """The recipe as keyword arguments, under a seed: other seeds see other batches."""
    return asdict(replace(recipe, seed=seed))


def epochs_for(steps: int, rows: int, batch_size: int) -> int:
    """How many epochs take at least `steps` steps.

    >>> epochs_for(1000, rows=250, batch_size=100)
    334
    """
    per_epoch = -(-rows // min(batch_size, rows))
    return -(-steps // per_epoch)
