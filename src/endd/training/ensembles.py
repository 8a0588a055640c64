"""Training ensembles: all members of all jobs in one stacked run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

from endd._checks import check_positive, describe
from endd.models import Ensemble
from endd.models.inputs import to_model
from endd.training.data import as_examples
from endd.training.devices import training_device
from endd.training.held_out import keep_and_check, rows_aside
from endd.training.history import History
from endd.training.loop import Loop
from endd.training.losses import Loss, as_loss
from endd.training.members import Augmentation, MemberTask, Penalty
from endd.training.networks import check_networks, groups_of
from endd.training.outlines import outline, shapes
from endd.training.recipe import Recipe
from endd.training.run_folder import RunFolder
from endd.training.stack import Stack
from endd.training.tables import Order, first_tensor, map_tensors, stack_jobs
from endd.training.watch import recipe_and_watch


def fit_ensemble(
    ensemble: Ensemble,
    data: Any,
    *,
    validation: Any = None,
    held_out: float | Sequence[Any] | None = None,
    sample_weight: Any = None,
    validation_weight: Any = None,
    loss: str | Loss = "nll",
    adversarial: float | None = None,
    augment: Augmentation | None = None,
    penalty: Penalty | None = None,
    **options: Any,
) -> History:
    """Train all members of an ensemble at once, in place, and return what happened.

    Every member keeps its own initialisation and sees its own order of mini-batches. With held-out data each keeps its
    best weights and, with `patience`, stops on its own.

    data: (x, y), or a dataset or loader of such pairs. validation: the same, held out by all members; or held_out: the
    share of `data` that each member holds out, another part each, so that together they learn from all of it (or, for
    each member, which rows). sample_weight, validation_weight: (N,), how much each example
    counts; their mean counts as 1. loss: "nll", "beta_nll", "faithful" or a function (family, z, y) -> losses.
    adversarial: the step of adversarial examples as a part of each input's range (Deep Ensembles 2017). augment:
    (inputs, generator) -> inputs changes every batch, such as `flips_and_crops` for images. penalty: (network) -> a
    number, added to the loss of each member, such as the `posteriors.Divergence` of uncertain weights.
    options: how to train and how to follow it, see `Recipe` and `Watch`.

    >>> import endd
    >>> from endd.nn import MLP
    >>> ensemble = endd.Ensemble([MLP(1, [8], 2) for _ in range(5)], endd.families.Gaussian())
    >>> x = torch.rand(100, 1)
    >>> history = fit_ensemble(ensemble, (x, x[:, 0]), epochs=2, progress="none")
    >>> len(history.loss)
    2
    """
    return fit_ensembles(
        [ensemble],
        [data],
        validation=None if validation is None else [validation],
        held_out=held_out if held_out is None or isinstance(held_out, int | float) else [held_out],
        sample_weight=None if sample_weight is None else [sample_weight],
        validation_weight=None if validation_weight is None else [validation_weight],
        loss=loss,
        adversarial=adversarial,
        augment=augment,
        penalty=penalty,
        **options,
    )


def fit_ensembles(
    ensembles: Sequence[Ensemble],
    data: Sequence[Any],
    *,
    validation: Sequence[Any] | None = None,
    held_out: float | Sequence[Sequence[Any]] | None = None,
    sample_weight: Sequence[Any] | None = None,
    validation_weight: Sequence[Any] | None = None,
    loss: str | Loss = "nll",
    adversarial: float | None = None,
    augment: Augmentation | None = None,
    penalty: Penalty | None = None,
    **options: Any,
) -> History:
    """Several ensembles on data of their own (folds, repeats) as one stacked run; otherwise as `fit_ensemble`."""
    recipe, watch = recipe_and_watch(options)
    jobs = [_examples(one, job) for one, job in zip(data, ensembles, strict=True)]
    _check_options(recipe, jobs, validation, held_out, adversarial)
    if validation_weight is not None and validation is None:
        remedy = "Name `validation`." if held_out is None else "What is held out has its part of `sample_weight`."
        raise ValueError(f"Expected `validation_weight` with validation data, but got it without. {remedy}")
    judges = _judges(ensembles, jobs, recipe, held_out, validation, validation_weight)
    weights = None if sample_weight is None else stack_jobs(_weights(sample_weight, jobs))
    x, y = stack_jobs([x for x, _ in jobs]), _targets(jobs, ensembles)
    table = (x, y) if weights is None else (x, y, weights)
    known: dict[str, Any] = {"adversarial": adversarial, "weights": weights, "augment": augment, "penalty": penalty}
    task_of = partial(MemberTask, ensembles[0].family, as_loss(loss), x, y, own_validation=judges.each, **known)
    members = [member for ensemble in ensembles for member in ensemble.members]
    outlines = {"data": outline(table), "networks": shapes(members)}
    folder = watch.folder(_config(ensembles, recipe, loss, adversarial, held_out, penalty) | outlines)
    job_of = [job for job, ensemble in enumerate(ensembles) for _ in ensemble.members]
    names, sizes = _names(ensembles), [len(y) for _, y in jobs]
    histories, groups = [], groups_of(members)
    for number, group in enumerate(groups):
        tracks = [job_of[place] for place in group]
        kept, judged_by = judges.of(group, tracks, table, sizes)
        order = Order(sizes, tracks, recipe.batch_size, kept, rows=recipe.epoch_rows)
        task = task_of(order=order, validation=judged_by, names=[names[place] for place in group])
        stack = Stack([members[place] for place in group], ensembles[0].output)
        # another seed: members of every group have orders of their own
        own = replace(recipe, seed=recipe.seed + number)
        loop = Loop(stack, task.on(training_device(recipe)), own, watch.accumulate)
        with watch.reporter(f"{len(group)} members") as report:
            histories.append(loop.run(report, _part(folder, number)))
    return _merged(histories, groups)


@dataclass(frozen=True)
class _Judges:
    """What members are judged by while they learn: rows that each of them holds out, or data that all share."""

    aside: list[Tensor] | None = None
    shared: tuple[Any, ...] | None = None

    @property
    def each(self) -> bool:
        """Whether each member has its own."""
        return self.aside is not None

    def of(
        self, group: list[int], tracks: list[int], table: tuple[Any, ...], sizes: list[int]
    ) -> tuple[list[Tensor] | None, tuple[Any, ...] | None]:
        """The rows that the members of a group keep to learn from, if not all, and the tables that judge them."""
        if self.aside is None:
            return None, self.shared
        return keep_and_check(table, sizes, tracks, [self.aside[place] for place in group])


def _judges(
    ensembles: Sequence[Ensemble],
    jobs: list[tuple[Any, Tensor]],
    recipe: Recipe,
    held_out: Any,
    validation: Sequence[Any] | None,
    validation_weight: Sequence[Any] | None,
) -> _Judges:
    if held_out is not None:
        return _Judges(rows_aside(held_out, ensembles, jobs, recipe.seed))
    checked = [_examples(one, job) for one, job in zip(validation or [], ensembles, strict=validation is not None)]
    weights = None if validation_weight is None else _weights(validation_weight, checked)
    return _Judges(shared=_validation_tables(checked, weights, ensembles) if checked else None)


def _check_options(
    recipe: Recipe, jobs: list[tuple[Any, Tensor]], validation: Any, held_out: Any, adversarial: float | None
) -> None:
    """Raise where settings do not go together."""
    if adversarial is not None:
        check_positive("adversarial", adversarial)
    if validation is not None and held_out is not None:
        raise ValueError("Expected validation data, or a part of the data that is held out, but got both.")
    if recipe.patience is not None and validation is None and held_out is None:
        raise ValueError(f"Expected `patience` with validation data, but got patience={recipe.patience} and none.")
    if adversarial is not None and not all(isinstance(x, Tensor) and x.is_floating_point() for x, _ in jobs):
        raise TypeError("Expected inputs as one floating point tensor for adversarial examples, but got others.")


def _config(
    ensembles: Sequence[Ensemble],
    recipe: Recipe,
    loss: str | Loss,
    adversarial: float | None,
    held_out: Any,
    penalty: Penalty | None,
) -> dict[str, Any]:
    """What a run folder remembers."""
    config = {"kind": "ensemble", "members": sum(map(len, ensembles)), "loss": loss, "adversarial": adversarial}
    if held_out is not None:
        config["held_out"] = held_out if isinstance(held_out, float) else "given rows"
    if penalty is not None:
        config["penalty"] = penalty
    return config | recipe.as_plain()


def _names(ensembles: Sequence[Ensemble]) -> list[str]:
    """What members are called in messages."""
    if len(ensembles) == 1:
        return [f"member {number}" for number in range(len(ensembles[0]))]
    every = enumerate(ensembles)
    return [f"member {number} of ensemble {job}" for job, ensemble in every for number in range(len(ensemble))]


def _targets(jobs: list[tuple[Any, Tensor]], ensembles: Sequence[Ensemble]) -> Tensor:
    targets: Tensor = stack_jobs([job.family.standardise(y) for (_, y), job in zip(jobs, ensembles, strict=True)])
    return targets


def _examples(data: Any, ensemble: Ensemble) -> tuple[Any, Tensor]:
    """(x, y) in the members' type, checked against them."""
    x, y = to_model(as_examples(data, ensemble.family), ensemble)
    check_networks(list(ensemble.members), x, ensemble.family, ensemble.output)
    return x, y


def _weights(given: Sequence[Any], jobs: list[tuple[Any, Tensor]]) -> list[Tensor]:
    """The weight of every example of every job, mean 1."""
    weights = []
    for one, (x, y) in zip(given, jobs, strict=True):
        weight = torch.as_tensor(one, dtype=first_tensor(x).dtype)
        if weight.shape != (len(y),) or not bool((weight >= 0).all() & (weight.sum() > 0) & weight.isfinite().all()):
            raise ValueError(
                f"Expected a weight for each of {len(y)} examples, at least 0 and not all of them, but got "
                f"{describe(weight)}."
            )
        weights.append(weight / weight.mean())
    return weights


def _validation_tables(
    held_out: list[tuple[Any, Tensor]], weights: list[Tensor] | None, ensembles: Sequence[Ensemble]
) -> tuple[Any, ...]:
    targets = [job.family.standardise(y) for (_, y), job in zip(held_out, ensembles, strict=True)]
    tables = [[x for x, _ in held_out], targets, *([] if weights is None else [weights])]
    shortest = min(len(y) for y in targets)
    return tuple(stack_jobs([map_tensors(lambda t: t[:shortest], job) for job in table]) for table in tables)


def _part(folder: RunFolder | None, number: int) -> RunFolder | None:
    if folder is None or number == 0:
        return folder
    return folder.part(f"group{number}")


def _merged(histories: list[History], groups: list[list[int]]) -> History:
    """One history of several groups: the first one's rows, everybody's restarts and best epochs."""
    places = [place for group in groups for place in group]
    epochs = [epoch for history in histories for epoch in history.best_epoch or []]
    best = [epoch for _, epoch in sorted(zip(places, epochs, strict=False))] or None
    return History(histories[0].rows, [line for history in histories for line in history.restarts], best)
