"""The networks behind the estimators: an ensemble of labelled rows, and a student of that ensemble."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from endd.distributions import Form
from endd.estimators.settings import SETTINGS
from endd.families import Family
from endd.models import Ensemble, Student, num_outputs
from endd.nn import MLP
from endd.objectives import (
    AtPoints,
    DistributionDistillation,
    EpistemicDistillation,
    MixtureDistillation,
    Objective,
    mean_and_spread,
)
from endd.training import History, distill, fit_ensemble, transfer_pool
from endd.training.students import default_objective


@dataclass(frozen=True)
class Plan:
    """What the estimator's parameters say about training; None leaves a choice to the settings."""

    batch_size: int | None
    learning_rate: float
    seed: int
    device: Any
    progress: str

    def options(self) -> dict[str, Any]:
        """What members and students share."""
        return {
            "learning_rate": self.learning_rate,
            "seed": self.seed,
            "device": self.device,
            "progress": self.progress,
        }


def train_ensemble(
    x: Tensor,
    y: Tensor,
    weights: Tensor | None,
    held_out: list[NDArray[np.intp]] | None,
    family: Family,
    *,
    members: int,
    hidden: Sequence[int],
    epochs: int | None,
    plan: Plan,
) -> tuple[Ensemble, History]:
    """Members on rows x and standardised targets y, each with an early stop on the rows that it holds out."""
    generator = torch.Generator().manual_seed(plan.seed)
    P, width = family.num_parameters, x.shape[1]
    nets = [MLP(width, hidden, P, SETTINGS.activation, generator=generator) for _ in range(members)]
    ensemble = Ensemble(nets, family.in_units(0.0, 1.0))
    rows = len(x) - (0 if held_out is None else len(held_out[0]))
    batch_size = plan.batch_size or SETTINGS.batch_size(rows)
    history = fit_ensemble(
        ensemble,
        (x, y),
        held_out=held_out,
        sample_weight=weights,
        batch_size=batch_size,
        **plan.options(),
        **SETTINGS.member_options(
            rows, batch_size, epochs, validation=held_out is not None, classes=family.shift_invariant
        ),
    )
    ensemble.family = family
    return ensemble.eval(), history


def train_student(
    teacher: Ensemble | Tensor,
    pool: Tensor,
    family: Family,
    *,
    rows: int,
    v: Form | None,
    hidden: Sequence[int],
    epochs: int | None,
    plan: Plan,
) -> tuple[Student, History]:
    """A student of an ensemble, or of member outputs z (M, N, P), on a pool made of a table of so many rows."""
    # another stream than the members', whose seed is the same
    generator = torch.Generator().manual_seed(plan.seed + 1)
    net = MLP(pool.shape[1], hidden, num_outputs(family, v), SETTINGS.activation, generator=generator)
    student = Student(net, family, v)
    batch_size = plan.batch_size or max(SETTINGS.batch_size(len(pool)), SETTINGS.student_batch)
    options = SETTINGS.student_options(len(pool), batch_size, epochs, table_rows=rows, classes=family.shift_invariant)
    options["objective"] = student_objective(student)
    history = distill(teacher, student, pool, batch_size=batch_size, **plan.options(), **options)
    return student.eval(), history


def student_objective(student: Student) -> Objective:
    """That of its v; a density over logits also learns the members' mean prediction and how much they disagree.

    By the density alone a student widens v wherever it misses a mean: where classes are told apart easily it would say
    several times the members' ignorance.
    """
    usual, family = default_objective(student), student.family
    if not (family.shift_invariant and isinstance(usual, DistributionDistillation)):
        return usual
    disagreement = SETTINGS.class_epistemic_weight * EpistemicDistillation(family)
    integrated = AtPoints(MixtureDistillation(family) + disagreement, SETTINGS.class_points)
    return mean_and_spread(family, SETTINGS.class_mean_weight, integrated)


def make_pool(x: Tensor, seed: int) -> Tensor:
    """Encoded rows, disturbed and mixed, where a student learns what an ensemble says."""

    def disturbed(rows: Tensor, generator: torch.Generator) -> Tensor:
        return rows + SETTINGS.pool_noise * torch.randn(rows.shape, generator=generator)

    augment = disturbed if SETTINGS.pool_noise else None
    return transfer_pool(x, SETTINGS.views(len(x)), augment=augment, mix=SETTINGS.pool_mix, seed=seed)


def parts_aside(
    count: int, members: int, strata: NDArray[np.intp] | None, rows: int, seed: int
) -> list[NDArray[np.intp]] | None:
    """For each member `count` rows to hold out, different ones until all had their turn; None where there are none.

    Where there are classes each is held out in proportion, and never the whole of one: every member knows all of them.
    """
    random, parts = np.random.default_rng(seed), list[NDArray[np.intp]]()
    while len(parts) < members:
        order = random.permutation(rows)
        if strata is not None:
            order = order[np.argsort(strata[order], kind="stable")]
            order = order[np.r_[False, np.diff(strata[order]) == 0]]
        if count == 0 or len(order) == 0:
            return None
        # with a step, not one after another, so that every part has rows of all classes
        size = min(count, len(order))
        turns = len(order) // size
        places = np.linspace(0, len(order), turns * size, endpoint=False).astype(int)
        parts += [order[places[turn::turns]] for turn in range(turns)]
    return parts[:members]
