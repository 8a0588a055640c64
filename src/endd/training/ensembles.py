"""Training ensembles: all members of all jobs in one stacked run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from endd._checks import check_positive, describe
from endd.families import Family
from endd.models import Ensemble
from endd.models.inputs import as_arguments, pick_output, to_model
from endd.models.stacking import stackable
from endd.models.twin import InferenceTwin
from endd.training.data import as_examples
from endd.training.devices import usable_device
from endd.training.held_out import keep_and_check, rows_aside
from endd.training.history import History
from endd.training.loop import Loop
from endd.training.losses import Loss, as_loss
from endd.training.processes import local_device
from endd.training.recipe import Recipe
from endd.training.run_folder import RunFolder
from endd.training.stack import Stack
from endd.training.tables import Order, first_tensor, map_tensors, stack_jobs
from endd.training.task import Task
from endd.training.watch import recipe_and_watch

#: (inputs (J, B, ...), generator) -> inputs of the same shape, each batch of each member changed in a way of its own.
Augmentation = Callable[[Any, torch.Generator], Any]
#: (network) -> a number that is added to its loss, with gradients to its parameters; run under torch.vmap.
Penalty = Callable[[nn.Module], Tensor]


@dataclass
class MemberTask(Task):
    """Members learn labelled data, each in an order of its own."""

    family: Family
    loss_function: Loss
    x: Any
    y: Tensor
    order: Order
    validation: tuple[Any, ...] | None = None  # (x, y), with weights where there are any
    own_validation: bool = False  # whether each member has its own
    adversarial: float | None = None
    names: Sequence[str] = ()
    weights: Tensor | None = None  # (jobs, N)
    augment: Augmentation | None = None
    penalty: Penalty | None = None

    def name(self, track: int) -> str:
        """The member's number, and whose member it is where there are several ensembles."""
        return self.names[track]

    def steps_per_epoch(self) -> int:
        """Batches an epoch."""
        return self.order.steps()

    def batches(self, epoch: int, generator: torch.Generator) -> Iterator[Any]:
        """(x, y) for every track, with weights where there are any."""
        tables = (self.x, self.y) if self.weights is None else (self.x, self.y, self.weights)
        for x, *rest in self.order.batches(tables, generator):
            yield x if self.augment is None else self.augment(x, generator), *rest

    def loss(self, stack: nn.Module, batch: Any, epoch: int) -> Tensor:
        """The mean loss of each member, and its penalty where there is one."""
        losses = self._data_loss(stack, batch)
        return losses if self.penalty is None else losses + stack.of_each(self.penalty)  # type: ignore[operator]

    def _data_loss(self, stack: nn.Module, batch: Any) -> Tensor:
        """The mean loss of each member; with adversarial examples, half of it on those."""
        x, y, *weights = batch
        if self.adversarial is None:
            return self._losses(stack, x, y, *weights)
        x = x.detach().requires_grad_()
        plain = self._losses(stack, x, y, *weights)
        (slope,) = torch.autograd.grad(plain.sum(), x, retain_graph=True)
        nearby = x.detach() + self.adversarial * self._range * slope.sign()
        return (plain + self._losses(stack, nearby, y, *weights)) / 2

    @cached_property
    def _range(self) -> Tensor:
        """The range of each input over the training data: the unit of adversarial steps."""
        flat: Tensor = self.x.flatten(0, 1)
        return (flat.amax(0) - flat.amin(0)).detach()

    def _losses(self, stack: nn.Module, x: Any, y: Tensor, weights: Tensor | None = None) -> Tensor:
        z = stack(x)
        losses = self.loss_function(self.family, z, y)
        if losses.shape != z.shape[:-1]:
            raise ValueError(
                f"Expected a loss for each example, {tuple(z.shape[:-1])}, but got {tuple(losses.shape)}. Leave the "
                "mean to the loop."
            )
        return (losses if weights is None else losses * weights).mean(1)

    def validate(self, stack: nn.Module) -> Tensor | None:
        """The loss on held-out data."""
        if self.validation is None:
            return None
        parts: Any = self.validation
        if not self.own_validation:
            parts = map_tensors(lambda t: t[self.order.job_of_track.to(t.device)], parts)
        return self._losses(stack, *parts)


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
        held_out=held_out if held_out is None or isinstance(held_out, float) else [held_out],
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
    family = ensembles[0].family
    if adversarial is not None:
        check_positive("adversarial", adversarial)
    jobs = [_examples(one, job) for one, job in zip(data, ensembles, strict=True)]
    if validation is not None and held_out is not None:
        raise ValueError("Expected validation data, or a part of the data that is held out, but got both.")
    if recipe.patience is not None and validation is None and held_out is None:
        raise ValueError(f"Expected `patience` with validation data, but got patience={recipe.patience} and none.")
    if adversarial is not None and not all(isinstance(x, Tensor) and x.is_floating_point() for x, _ in jobs):
        raise TypeError("Expected inputs as one floating point tensor for adversarial examples, but got others.")
    aside = None if held_out is None else rows_aside(held_out, ensembles, jobs, recipe.seed)
    weights = None if sample_weight is None else _weights(sample_weight, jobs)
    checked = None
    if validation is not None:
        checked = [_examples(one, job) for one, job in zip(validation, ensembles, strict=True)]
    checked_weights = None if validation_weight is None else _weights(validation_weight, checked or [])
    config: dict[str, Any] = {
        "kind": "ensemble",
        "members": sum(map(len, ensembles)),
        "loss": loss,
        "adversarial": adversarial,
    }
    if held_out is not None:
        config["held_out"] = held_out if isinstance(held_out, float) else "given rows"
    if penalty is not None:
        config["penalty"] = penalty
    config |= plain(recipe)
    folder = watch.folder(config)
    members = [member for ensemble in ensembles for member in ensemble.members]
    job_of = [job for job, ensemble in enumerate(ensembles) for _ in ensemble.members]
    names = [f"member {number}" for ensemble in ensembles for number in range(len(ensemble))]
    if len(ensembles) > 1:
        names = [f"{name} of ensemble {job}" for name, job in zip(names, job_of, strict=True)]
    x, y = stack_jobs([x for x, _ in jobs]), _targets(jobs, ensembles)
    every_weight = None if weights is None else stack_jobs(weights)
    table = (x, y) if every_weight is None else (x, y, every_weight)
    histories, groups = [], _groups(members)
    for number, group in enumerate(groups):
        tracks = [job_of[place] for place in group]
        sizes = [len(y) for _, y in jobs]
        kept, validation_tables = None, None
        if aside is not None:
            kept, validation_tables = keep_and_check(table, sizes, tracks, [aside[place] for place in group])
        elif checked is not None:
            validation_tables = _validation_tables(checked, checked_weights, ensembles)
        task = MemberTask(
            family,
            as_loss(loss),
            x,
            y,
            Order(sizes, tracks, recipe.batch_size, kept, rows=recipe.epoch_rows),
            validation_tables,
            aside is not None,
            adversarial,
            [names[place] for place in group],
            every_weight,
            augment,
            penalty,
        )
        stack = Stack([members[place] for place in group], ensembles[0].output)
        # another seed: members of every group have orders of their own
        loop = Loop(stack, _on(task, recipe), replace(recipe, seed=recipe.seed + number), watch.accumulate)
        with watch.reporter(f"{len(group)} members") as report:
            histories.append(loop.run(report, _part(folder, number)))
    return _merged(histories, groups)


def _targets(jobs: list[tuple[Any, Tensor]], ensembles: Sequence[Ensemble]) -> Tensor:
    targets: Tensor = stack_jobs([job.family.standardise(y) for (_, y), job in zip(jobs, ensembles, strict=True)])
    return targets


def _examples(data: Any, ensemble: Ensemble) -> tuple[Any, Tensor]:
    """(x, y) in the members' type, checked against them."""
    x, y = to_model(as_examples(data, ensemble.family), ensemble)
    check_networks(list(ensemble.members), x, ensemble.family, ensemble.output)
    return x, y


def check_networks(
    networks: Sequence[nn.Module], x: Any, family: Family, output: Any, width: int | None = None
) -> None:
    """Raise, naming the first, unless every network takes a row of x and gives as many numbers as it must."""
    width = family.num_parameters if width is None else width
    arguments, named = as_arguments(map_tensors(lambda tensor: tensor[:2], x))
    for number, network in enumerate(networks):
        if number and stackable([networks[0], network]):
            continue  # it does what the first one did
        try:
            with torch.no_grad():
                z = pick_output(InferenceTwin().of(network)(*arguments, **named), output)
        except RuntimeError as error:
            raise ValueError(
                f"Expected inputs that network {number} accepts, but got {tuple(first_tensor(x).shape[1:])} a row: "
                f"{str(error).splitlines()[0]}."
            ) from None
        if z.shape[-1] != width:
            raise ValueError(f"Expected {width} outputs for {family}, but network {number} gives {z.shape[-1]}.")


def _groups(members: list[nn.Module]) -> list[list[int]]:
    """Members that can be stacked with each other; a mixed ensemble trains group by group."""
    groups: list[list[int]] = []
    for place, member in enumerate(members):
        for group in groups:
            if stackable([members[group[0]], member]):
                group.append(place)
                break
        else:
            groups.append([place])
    return groups


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


def training_device(recipe: Recipe) -> torch.device:
    """The device of a run: the first GPU if there is one, unless told otherwise; one a process under torchrun."""
    if recipe.device is None:
        return local_device("cuda" if torch.cuda.is_available() else "cpu")
    return usable_device(recipe.device)


def _on(task: MemberTask, recipe: Recipe) -> MemberTask:
    device = training_device(recipe)
    task.x, task.y = map_tensors(lambda t: t.to(device), task.x), task.y.to(device)
    task.weights = None if task.weights is None else task.weights.to(device)
    if task.validation is not None:
        task.validation = map_tensors(lambda t: t.to(device), task.validation)
    return task


def _part(folder: RunFolder | None, number: int) -> RunFolder | None:
    if folder is None or number == 0:
        return folder
    return folder.part(f"group{number}")


def plain(recipe: Recipe) -> dict[str, Any]:
    """The settings by name."""
    return {field.name: getattr(recipe, field.name) for field in fields(recipe)}


def _merged(histories: list[History], groups: list[list[int]]) -> History:
    """One history of several groups: the first one's rows, everybody's restarts and best epochs."""
    places = [place for group in groups for place in group]
    epochs = [epoch for history in histories for epoch in history.best_epoch or []]
    best = [epoch for _, epoch in sorted(zip(places, epochs, strict=False))] or None
    return History(histories[0].rows, [line for history in histories for line in history.restarts], best)
