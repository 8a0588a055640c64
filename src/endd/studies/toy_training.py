"""Training of the toy study: all members of all seeds as one stacked run, all students of a kind as another."""

from dataclasses import dataclass

import torch
from torch import Tensor

from endd.data import Examples
from endd.distributions import DiagonalNormal, Form, FullNormal, Point
from endd.families import Gaussian
from endd.models import Ensemble, Student, num_outputs
from endd.nn import MLP
from endd.objectives import MomentDistillation, Objective, mean_and_spread
from endd.studies.toy_config import Config
from endd.studies.training import STUDENT_SEEDS, Trained, options, say, seeded, timed
from endd.training import Recipe, distill_many, fit_ensembles

FAMILY = Gaussian()
FORMS: dict[str, Form] = {"diagonal": DiagonalNormal, "full": FullNormal}
# Students are asked about |x| up to this.
REACH = 5.0
# The first seed of their inputs, far from those of all weights.
INPUT_SEEDS = 2_000_000


@dataclass(frozen=True)
class Arm:
    """A kind of student: what it says about z, and what it learns from."""

    v: Form
    recipe: Recipe
    objective: Objective | None = None
    labelled: bool = False


def train_all(config: Config, data: list[Examples], progress: str) -> Trained:
    """Teachers, references and every kind of student, for the examples of every seed."""
    trained = Trained()
    _keep_ensembles(config, data, trained, progress)
    for name, arm in arms(config).items():
        _train_students(name, arm, config, data, trained, progress)
    return trained


def arms(config: Config) -> dict[str, Arm]:
    """All kinds of students by name."""
    v = FORMS[config.v]
    students = {
        "distilled": Arm(v, config.student),
        "mixture": Arm(Point, config.student),
    }
    if config.labelled:
        students["distilled_labelled"] = Arm(v, config.student, labelled=True)
    mean = MomentDistillation(FAMILY)
    return students | {
        f"distilled_weight_{w:g}": Arm(v, config.sweep, mean_and_spread(FAMILY, w, mean)) for w in config.weights
    }


def draw_inputs(count: int, seed: int) -> Tensor:
    """x ~ U[-5, 5], (count, 1)."""
    generator = torch.Generator().manual_seed(INPUT_SEEDS + seed)
    return REACH * (2 * torch.rand(count, 1, generator=generator) - 1)


def train_ensembles(config: Config, data: list[Examples], progress: str) -> list[Ensemble]:
    """A teacher and a reference a seed, one after the other."""

    def build() -> Ensemble:
        return Ensemble([MLP(1, config.hidden, 2) for _ in range(config.members)], FAMILY)

    seeds = range(2 * config.first_seed, 2 * (config.first_seed + config.seeds))
    ensembles = [seeded(seed, build) for seed in seeds]
    say(f"toy: training {len(ensembles)} ensembles of {config.members}, a teacher and a reference a seed", progress)
    twice = [examples for examples in data for _ in range(2)]
    fit_ensembles(ensembles, twice, progress=progress, **options(config.teacher, config.first_seed))
    return ensembles


def _keep_ensembles(config: Config, data: list[Examples], trained: Trained, progress: str) -> None:
    """Teachers, references, and each teacher's first member as the single network."""
    with timed() as timer:
        ensembles = train_ensembles(config, data, progress)
    share = timer.seconds / len(ensembles)
    trained.models |= {"ensemble": [*ensembles[::2]], "reference": [*ensembles[1::2]]}
    trained.models["single"] = [Ensemble([ensemble.members[0]], FAMILY) for ensemble in ensembles[::2]]
    trained.seconds |= {"ensemble": share, "reference": share, "single": share / config.members}


def _train_students(name: str, arm: Arm, config: Config, data: list[Examples], trained: Trained, progress: str) -> None:
    """One student a seed, with the same initial weights in every arm of the same size."""

    def build() -> Student:
        outputs = num_outputs(FAMILY, arm.v)
        return Student(MLP(1, config.student_hidden, outputs, config.student_activation), FAMILY, arm.v)

    students = [seeded(STUDENT_SEEDS + config.first_seed + place, build) for place in range(config.seeds)]
    say(f"toy: training {config.seeds} students, {name}", progress)
    with timed() as timer:
        distill_many(
            trained.models["ensemble"],
            students,
            [draw_inputs(config.samples, config.first_seed + place) for place in range(config.seeds)],
            objective=arm.objective,
            labelled=data if arm.labelled else None,
            label_weight=config.label_weight,
            progress=progress,
            **options(arm.recipe, config.first_seed),
        )
    trained.models[name] = [*students]
    trained.seconds[name] = timer.seconds / config.seeds
