"""How much faster the UCI study trains stacked than member by member.

Claim: all teachers and students of the kfold5 table (5 sets, 5 folds, ten members, three students), as the preset
"converged" trains them, at least 10 times as fast as the same work in a plain torch loop, in the same run.

Both take a fifth of the preset's steps, so that what the stacked run sets up once (labels of the pool among it) counts
five times as much as it would. The stacked time is that of all that work. The loop's is measured on two networks of
each kind for some of their epochs and multiplied by the number of networks and epochs: the whole would take hours.
"""

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor, nn

from benchmarks.timing import seconds, write
from endd.data import load_uci, uci_splits
from endd.data.uci import NAMES
from endd.distributions import Members
from endd.models import Ensemble
from endd.nn import MLP
from endd.studies.uci_config import PRESETS, Config
from endd.studies.uci_training import (
    Arm,
    Job,
    arms,
    as_jobs,
    build_student,
    family_of,
    train_ensembles,
    train_students,
    transfer_inputs,
    with_steps,
)
from endd.training import Recipe
from endd.training.losses import as_loss
from endd.training.schedules import as_schedule
from endd.training.students import default_objective
from endd.training.teachers import ask

ALONE = 2  # networks of each kind that the loop trains
MIN_STEPS = 300  # for so many steps each, at least
PART = 5  # of the preset's steps, one in so many


def train_alone(
    net: nn.Module, loss: Callable[[Tensor], Tensor], rows: int, recipe: Recipe, validate: Callable[[], Tensor] | None
) -> float:
    """Seconds that one network takes by itself, as anybody would write it: all epochs, from some of them."""
    per_epoch = -(-rows // recipe.batch_size)
    epochs = min(max(-(-MIN_STEPS // per_epoch), 2), recipe.epochs)
    kind = torch.optim.AdamW if recipe.optimiser == "adamw" else torch.optim.Adam
    optimiser = kind(net.parameters(), recipe.learning_rate, weight_decay=recipe.weight_decay)
    factor, total = as_schedule(recipe.schedule), recipe.epochs * per_epoch
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: factor(step, total, per_epoch))

    def work() -> None:
        best = torch.inf
        for _ in range(epochs):
            for batch in torch.randperm(rows).split(recipe.batch_size):
                optimiser.zero_grad()
                loss(batch).backward()
                if recipe.clip is not None:
                    nn.utils.clip_grad_norm_(net.parameters(), recipe.clip)
                optimiser.step()
                schedule.step()
            if validate is not None:
                with torch.no_grad():
                    reached = float(validate())
                if reached < best:
                    best, _kept = reached, copy.deepcopy(net.state_dict())

    return seconds(work) * recipe.epochs / epochs


def member_alone(config: Config, job: Job) -> float:
    """Seconds of one member."""
    family, loss_function = family_of(config, job.split), as_loss(config.loss)
    x, y = torch.as_tensor(job.split.train.x), family.standardise(torch.as_tensor(job.split.train.y))
    rows = torch.randperm(len(y))
    held, kept = rows.split([round(config.validation * len(y)), len(y) - round(config.validation * len(y))])
    held_out, (x, y) = (x[held], y[held]), (x[kept], y[kept])
    net = MLP(x.shape[1], config.hidden, 2, config.activation)

    def loss(x: Tensor, y: Tensor) -> Tensor:
        return loss_function(family, net(x), y).mean()

    recipe = with_steps(config.teacher, config.teacher_steps, len(y))
    validate = partial(loss, *held_out) if config.validation else None
    return train_alone(net, lambda rows: loss(x[rows], y[rows]), len(y), recipe, validate)


def student_alone(arm: Arm, config: Config, job: Job, teacher: Ensemble) -> float:
    """Seconds of one student; what its teacher says is known beforehand."""
    student = build_student(arm, config, job)
    objective = arm.objective or default_objective(student)
    x = transfer_inputs(config, job)
    z = ask(teacher, x)
    recipe = with_steps(config.student, config.student_steps, len(x))

    def loss(rows: Tensor) -> Tensor:
        return objective(student(x[rows]), Members(z[:, rows])).mean()

    return train_alone(student, loss, len(x), recipe, None)


def compare(config: Config, name: str) -> dict[str, float]:
    """Seconds of one data set: stacked, and one after another."""
    jobs = as_jobs(0, uci_splits(load_uci(name), "kfold5"))
    teachers: list[Ensemble] = []
    stacked = seconds(lambda: teachers.extend(train_ensembles(config, jobs, "none")))
    alone = sum(member_alone(config, job) for job in jobs[:ALONE]) / ALONE * len(jobs) * config.members
    stacked += seconds(lambda: train_students(arms(config), config, jobs, teachers, "none"))
    for arm in arms(config).values():
        some = zip(jobs[:ALONE], teachers, strict=False)
        alone += sum(student_alone(arm, config, job, teacher) for job, teacher in some) / ALONE * len(jobs)
    return {"stacked": stacked, "loop": alone}


def main() -> None:
    torch.manual_seed(0)
    config = PRESETS["converged"]
    assert config.teacher_steps is not None
    assert config.student_steps is not None
    config = replace(
        config,
        teacher_steps=config.teacher_steps // PART,
        student_steps=config.student_steps // PART,
        student_validation=0.0,
        teacher=replace(config.teacher, patience=None),
        student=replace(config.student, patience=None),
    )
    compare(config.smoke(), "yacht")  # imports and first calls
    times = {name: compare(config, name) for name in NAMES}
    times["all"] = {key: sum(found[key] for found in times.values()) for key in ("stacked", "loop")}
    rows = [
        {
            "data set": name,
            "stacked seconds": round(found["stacked"], 1),
            "loop seconds, estimated": round(found["loop"], 1),
            "times faster": round(found["loop"] / found["stacked"], 2),
        }
        for name, found in times.items()
    ]
    write("uci", rows)
