"""Training of the toy study: all members of all seeds as one stacked run, all students of a kind as another."""

import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar

import torch
from torch import Tensor

from endd.data import Examples
from endd.distributions import DiagonalNormal, Form, FullNormal, Point
from endd.families import Gaussian
from endd.models import Ensemble, Model, Student, num_outputs
from endd.nn import MLP
from endd.objectives import Objective, mean_and_spread
from endd.studies.toy_config import Config
from endd.training import Recipe, distill_many, fit_ensembles

FAMILY = Gaussian()
FORMS: dict[str, Form] = {"diagonal": DiagonalNormal, "full": FullNormal}
# Students are asked about |x| up to this.
REACH = 5.0
# The first seed of students' initial weights, far from those of members.
STUDENT_SEEDS, INPUT_SEEDS = 1_000_000, 2_000_000
ModelT = TypeVar("ModelT", bound=Model)


@dataclass(frozen=True)
class Arm:
    """A kind of student: what it says about z, what it learns from, and how many seeds it has."""

    v: Form
    recipe: Recipe
    seeds: int
    objective: Objective | None = None
    labelled: bool = False


@dataclass
class Trained:
    """Models by name, one a seed, and the seconds that each took: its share of a stacked run."""

    models: dict[str, list[Model]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def train_all(config: Config, data: list[Examples], progress: str) -> Trained:
    """Teachers, references and every kind of student, for the examples of every seed."""
    trained = Trained()
    _train_ensembles(config, data, trained, progress)
    for name, arm in arms(config).items():
        _train_students(name, arm, config, data, trained, progress)
    return trained


def arms(config: Config) -> dict[str, Arm]:
    """All kinds of students by name."""
    v = FORMS[config.v]
    students = {
        "distilled": Arm(v, config.student, config.seeds),
        "mixture": Arm(Point, config.student, config.seeds),
    }
    if config.labelled:
        students["distilled_labelled"] = Arm(v, config.student, config.seeds, labelled=True)
    some = min(config.sweep_seeds, config.seeds)
    sweep = {f"distilled_weight_{w:g}": Arm(v, config.sweep, some, mean_and_spread(FAMILY, w)) for w in config.weights}
    return students | sweep


def draw_inputs(count: int, seed: int) -> Tensor:
    """x ~ U[-5, 5], (count, 1)."""
    generator = torch.Generator().manual_seed(INPUT_SEEDS + seed)
    return REACH * (2 * torch.rand(count, 1, generator=generator) - 1)


def say(stage: str, progress: str) -> None:
    """Tell what comes next."""
    if progress != "none":
        print(f"toy: {stage}", file=sys.stderr)


def _train_ensembles(config: Config, data: list[Examples], trained: Trained, progress: str) -> None:
    """A teacher and a reference a seed; the teacher's first member is the single network."""

    def build() -> Ensemble:
        return Ensemble([MLP(1, config.hidden, 2) for _ in range(config.members)], FAMILY)

    seeds = range(2 * config.first_seed, 2 * (config.first_seed + config.seeds))
    ensembles = [_seeded(seed, build) for seed in seeds]
    say(f"training {len(ensembles)} ensembles of {config.members}, a teacher and a reference a seed", progress)
    start = time.perf_counter()
    twice = [examples for examples in data for _ in range(2)]
    fit_ensembles(ensembles, twice, progress=progress, **_options(config.teacher, config))
    share = (time.perf_counter() - start) / len(ensembles)
    trained.models |= {"ensemble": [*ensembles[::2]], "reference": [*ensembles[1::2]]}
    trained.models["single"] = [Ensemble([ensemble.members[0]], FAMILY) for ensemble in ensembles[::2]]
    trained.seconds |= {"ensemble": share, "reference": share, "single": share / config.members}


def _train_students(name: str, arm: Arm, config: Config, data: list[Examples], trained: Trained, progress: str) -> None:
    """One student a seed, with the same initial weights in every arm of the same size."""

    def build() -> Student:
        outputs = num_outputs(FAMILY, arm.v)
        return Student(MLP(1, config.student_hidden, outputs, config.student_activation), FAMILY, arm.v)

    students = [_seeded(STUDENT_SEEDS + config.first_seed + place, build) for place in range(arm.seeds)]
    say(f"training {arm.seeds} students, {name}", progress)
    start = time.perf_counter()
    distill_many(
        trained.models["ensemble"][: arm.seeds],
        students,
        [draw_inputs(config.samples, config.first_seed + place) for place in range(arm.seeds)],
        objective=arm.objective,
        labelled=data[: arm.seeds] if arm.labelled else None,
        label_weight=config.label_weight,
        progress=progress,
        **_options(arm.recipe, config),
    )
    trained.models[name] = [*students]
    trained.seconds[name] = (time.perf_counter() - start) / arm.seeds


def _seeded(seed: int, build: Callable[[], ModelT]) -> ModelT:
    """A model built under a seed of its own; the global generator stays as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        return build()


def _options(recipe: Recipe, config: Config) -> dict[str, Any]:
    """The recipe as keyword arguments; other seeds see other batches."""
    return asdict(replace(recipe, seed=config.first_seed))
