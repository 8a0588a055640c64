"""Training of the UCI study: all members of all splits as one stacked run, all students of a kind as another."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from endd.data import Examples, Split, Table, uci_splits
from endd.distributions import DiagonalNormal, Form, FullNormal, Point
from endd.families import Gaussian
from endd.models import Ensemble, Student, num_outputs
from endd.nn import MLP
from endd.objectives import MomentDistillation, Objective, mean_and_spread
from endd.studies.training import STUDENT_SEEDS, Trained, epochs_for, options, say, seeded, timed
from endd.studies.uci_config import Config
from endd.training import Recipe, distill_many, fit_ensembles, transfer_pool

# Splits of one seed have numbers of their own below those of the next.
MAX_SPLITS = 100


class Job(NamedTuple):
    """One split of one seed; `number` is the seed of all that belongs to it."""

    seed: int
    number: int
    split: Split


@dataclass(frozen=True)
class Arm:
    """A kind of student: what it says about z, and what it learns."""

    v: Form
    objective: Objective | None = None


def as_jobs(seed: int, splits: list[Split]) -> list[Job]:
    """The splits of a seed."""
    return [Job(seed, MAX_SPLITS * seed + place, split) for place, split in enumerate(splits)]


def all_jobs(config: Config, table: Table) -> list[Job]:
    """The splits of all seeds of a data set."""
    return [job for seed in config.all_seeds() for job in as_jobs(seed, uci_splits(table, config.splits, seed))]


def order_seed(config: Config, jobs: list[Job]) -> int:
    """The seed of the batches of a stacked run: the study's in the first one, and others in those that follow."""
    return config.first_seed + jobs[0].number - MAX_SPLITS * config.first_seed


def train_all(config: Config, jobs: list[Job], progress: str, title: str = "uci") -> Trained:
    """A teacher, a reference and every kind of student a job; the teacher's first member is the single network."""
    trained = Trained()
    twice = [job for job in jobs for _ in range(2)]
    say(f"{title}: training {len(twice)} ensembles of {config.members}, a teacher and a reference a split", progress)
    with timed() as timer:
        ensembles = train_ensembles(config, twice, progress)
    share = timer.seconds / len(ensembles)
    teachers = ensembles[::2]
    trained.models |= {"ensemble": [*teachers], "reference": [*ensembles[1::2]]}
    trained.models["single"] = [Ensemble([teacher.members[0]], teacher.family) for teacher in teachers]
    trained.seconds |= {"ensemble": share, "reference": share, "single": share / config.members}
    kinds = arms(config)
    say(f"{title}: training {len(jobs)} students of each kind: {', '.join(kinds)}", progress)
    with timed() as timer:
        students = train_students(kinds, config, jobs, teachers, progress)
    trained.models |= {name: [*some] for name, some in students.items()}
    trained.seconds |= dict.fromkeys(kinds, timer.seconds / len(jobs) / len(kinds))
    return trained


def arms(config: Config) -> dict[str, Arm]:
    """All kinds of students by name."""
    family = family_of(config)
    objective = mean_and_spread(family, config.mean_weight, MomentDistillation(family)) if config.mean_weight else None
    return {
        "distilled": Arm(FullNormal, objective),
        "distilled_diagonal": Arm(DiagonalNormal, objective),
        "mixture": Arm(Point),
    }


def family_of(config: Config, split: Split | None = None) -> Gaussian:
    """The Gaussian, in the units of a split's targets."""
    family = Gaussian(config.min_variance)
    return family if split is None else family.in_units(split.shift, split.scale)


def transfer_inputs(config: Config, job: Job) -> Tensor:
    """Where students learn: the training inputs, and further versions of them."""
    x = torch.as_tensor(job.split.train.x)
    views = -(-config.pool // len(x)) - 1
    if views < 1:
        return x

    def disturbed(inputs: Tensor, generator: torch.Generator) -> Tensor:
        return inputs + config.noise * torch.randn(inputs.shape, generator=generator)

    return torch.cat([x, transfer_pool(x, views, augment=disturbed, mix=config.mix, swap=config.swap, seed=job.number)])


def train_ensembles(config: Config, jobs: list[Job], progress: str) -> list[Ensemble]:
    """An ensemble a job, as one stacked run; a job that comes twice gets two with weights of their own."""

    def build(job: Job) -> Ensemble:
        inputs = job.split.train.x.shape[1]
        members = [MLP(inputs, config.hidden, 2, config.activation) for _ in range(config.members)]
        return Ensemble(members, family_of(config, job.split))

    numbers = [job.number for job in jobs]
    turns = [numbers[:place].count(number) for place, number in enumerate(numbers)]
    ensembles = [seeded(2 * job.number + turn, partial(build, job)) for job, turn in zip(jobs, turns, strict=True)]
    data: list[Examples] = [job.split.train for job in jobs]
    given: dict[str, Any] = {"loss": config.loss, "adversarial": config.adversarial}
    if config.validation:
        given["held_out"] = config.validation
    kept = min(len(y) - round(config.validation * len(y)) for _, y in data)
    recipe = with_steps(config.teacher, config.teacher_steps, kept)
    fit_ensembles(ensembles, data, progress=progress, **given, **options(recipe, order_seed(config, jobs)))
    return ensembles


def train_students(
    kinds: dict[str, Arm], config: Config, jobs: list[Job], teachers: list[Ensemble], progress: str
) -> dict[str, list[Student]]:
    """A student of each kind a job, all of them as one stacked run."""
    students = {
        name: [seeded(STUDENT_SEEDS + job.number, partial(build_student, arm, config, job)) for job in jobs]
        for name, arm in kinds.items()
    }
    inputs = [transfer_inputs(config, job) for job in jobs]
    recipe = with_steps(config.student, config.student_steps, min(map(len, inputs)))
    distill_many(
        teachers * len(kinds),
        [student for some in students.values() for student in some],
        inputs * len(kinds),
        objective=[arm.objective for arm in kinds.values() for _ in jobs],
        hold_out="inputs" if config.student_validation else "none",
        hold_out_share=config.student_validation,
        progress=progress,
        **options(recipe, order_seed(config, jobs)),
    )
    return students


def build_student(arm: Arm, config: Config, job: Job) -> Student:
    """A student of an arm before it has learnt."""
    outputs, inputs = num_outputs(family_of(config), arm.v), job.split.train.x.shape[1]
    net = MLP(inputs, config.student_hidden, outputs, config.student_activation)
    return Student(net, family_of(config, job.split), arm.v)


def with_steps(recipe: Recipe, steps: int | None, rows: int) -> Recipe:
    """The recipe with the epochs that take at least so many steps, if a number is given."""
    return recipe if steps is None else replace(recipe, epochs=epochs_for(steps, rows, recipe.batch_size))
