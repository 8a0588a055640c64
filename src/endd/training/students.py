"""What students learn: their teachers' members, or what their objective needs to know of these."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributions import Distribution

from endd._checks import describe
from endd.distributions import Atoms, Dirichlet, Form, Members
from endd.families import Family
from endd.models import Student, num_outputs
from endd.objectives import (
    DirichletDistillation,
    DistributionDistillation,
    HydraDistillation,
    MixtureDistillation,
    NegativeLogLikelihood,
    Objective,
)
from endd.training.tables import Order, map_tensors
from endd.training.task import Task


@dataclass(frozen=True)
class Kind:
    """Students next to each other that have the same v and learn by the same objective."""

    tracks: slice
    family: Family  # in standardised units, as all labels are
    form: Form
    objective: Objective
    outputs: int
    summarised: bool  # whether it knows the members by the objective's summary of them
    weights: Tensor | None  # of the members, (M,)

    def digest(self, z: Tensor) -> Any:
        """What this kind needs to know of members z (..., M, P), in place of them."""
        if z.shape[-1] != self.family.num_parameters:
            z = self.family.canonical(z, "logits")  # its students speak of K - 1 logits
        if not self.summarised:
            return z
        v = self.form.from_raw(z.new_zeros(1, self.outputs))
        return self.objective.summary(v, self._members(z))

    def loss(self, raw: Tensor, known: Any, epoch: int | None = None) -> Tensor:
        """The mean loss of each student from their raw outputs (J, B, R)."""
        v = self.v(raw)
        objective = self.objective if epoch is None else self.objective.at(epoch)
        losses = objective.on_summary(v, known) if self.summarised else objective(v, self._members(known))
        if not isinstance(losses, Tensor) or losses.shape != raw.shape[:-1]:
            raise ValueError(
                f"Expected of {type(objective).__name__} a loss for each example, a tensor {tuple(raw.shape[:-1])}, "
                f"but got {describe(losses)}. Sum over the parameters of z, and leave the mean to the loop."
            )
        return losses.mean(1)

    def v(self, raw: Tensor) -> Distribution:
        """What these students say."""
        return self.form.from_raw(raw if raw.shape[-1] == self.outputs else raw[..., : self.outputs])

    def _members(self, z: Tensor) -> Members:
        return Members(z.movedim(-2, 0), self.weights, validate_args=False)


@dataclass
class StudentTask(Task):
    """Students learn their teachers' members, each on inputs of its own."""

    kinds: list[Kind]
    order: Any  # an Order, or what takes its place
    x: Any
    known: list[Any]  # what each kind knows of the members, (jobs, N, ...)
    validation: tuple[Any, list[Any]] | None = None
    labelled: tuple[Any, Tensor, Order] | None = None
    label_weight: float = 1.0
    redraw: Callable[[torch.Generator], tuple[Any, list[Any]]] | None = None
    relabel: Callable[[Any, torch.Generator], tuple[Any, Tensor]] | None = None
    early: tuple[int, Order] | None = None  # epochs before some rows come in, and the order of the others
    noun: str = "student"

    def steps_per_epoch(self) -> int:
        """Batches an epoch."""
        return int(self.order.steps())

    def batches(self, epoch: int, generator: torch.Generator) -> Iterator[Any]:
        """(x, known) for every track, with labelled x and y where there are any.

        Inputs are drawn or perturbed anew where that was asked for.
        """
        if self.redraw is not None:
            self.x, self.known = self.redraw(generator)
        labelled = self._labelled_batches(generator)
        tracks = [slice(None), *(kind.tracks for kind in self.kinds)]
        early = self.early is not None and epoch < self.early[0]
        order = self.early[1] if early else self.order  # type: ignore[index]
        for x, *known in order.batches((self.x, *self.known), generator, tracks):
            if self.relabel is not None:
                x, z = self.relabel(x, generator)
                known = [kind.digest(z[kind.tracks]) for kind in self.kinds]
            yield x, known, *next(labelled)

    def _labelled_batches(self, generator: torch.Generator) -> Iterator[Any]:
        while self.labelled is not None:
            x, y, order = self.labelled
            yield from order.batches((x, y), generator)
        while True:
            yield ()

    def stage(self, epoch: int) -> Any:
        """The objectives as they stand."""
        return [kind.objective.at(epoch) for kind in self.kinds]

    def loss(self, stack: nn.Module, batch: Any, epoch: int) -> Tensor:
        """The mean loss of each student."""
        x, known, *labelled = batch
        losses = self._losses(stack(x), known, epoch)
        if not labelled:
            return losses
        x, y = labelled
        parts = zip(self.kinds, self._parts(stack(x)), self._parts(y), strict=True)
        surprise = [NegativeLogLikelihood(kind.family)(kind.v(raw), y=own).mean(1) for kind, raw, own in parts]
        return losses + self.label_weight * torch.cat(surprise)

    def _losses(self, raw: Tensor, known: list[Any], epoch: int | None = None) -> Tensor:
        parts = zip(self.kinds, self._parts(raw), known, strict=True)
        return torch.cat([kind.loss(own, about, epoch) for kind, own, about in parts])

    def _parts(self, tensor: Tensor) -> Sequence[Tensor]:
        """Those of each kind out of (J, ...)."""
        parts: Sequence[Tensor] = tensor.split([kind.tracks.stop - kind.tracks.start for kind in self.kinds])
        return parts

    def validate(self, stack: nn.Module) -> Tensor | None:
        """The loss on held-out inputs or members."""
        if self.validation is None:
            return None
        x, known = self.validation
        jobs = self.order.job_of_track

        def of(tracks: slice, part: Any) -> Any:
            return map_tensors(lambda t: t[jobs[tracks].to(t.device)], part)

        mine = [of(kind.tracks, part) for kind, part in zip(self.kinds, known, strict=True)]
        return self._losses(stack(of(slice(None), x)), mine)


def kinds_of(students: Sequence[Student], objective: Any, members: int, weights: Tensor | None) -> list[Kind]:
    """Students that share v and objective, in the order in which they come."""
    given = list(objective) if isinstance(objective, Sequence) else [objective] * len(students)
    objectives = [
        default_objective(student) if chosen is None else chosen
        for student, chosen in zip(students, given, strict=True)
    ]
    kinds: list[Kind] = []

    def kind_of(place: int) -> tuple[Any, ...]:
        return students[place].form, objectives[place], students[place].family.num_parameters

    for (form, chosen, _), group in groupby(range(len(students)), kind_of):
        places = list(group)
        family = students[places[0]].family.in_units(0.0, 1.0)
        outputs = num_outputs(family, form)
        # tried on atoms that say nothing: whether there is a summary depends on the kind of v and on the numbers
        v, atoms = form.from_raw(torch.zeros(1, outputs)), Members(torch.zeros(members, 1, family.num_parameters))
        summarised = chosen.summary(v, atoms) is not None
        kinds.append(Kind(slice(places[0], places[-1] + 1), family, form, chosen, outputs, summarised, weights))
    return kinds


def default_objective(student: Student) -> Objective:
    """That of the mixture for a point, of Hydra for heads, of Dirichlets for a Dirichlet, else of the density."""
    v = student.form.from_raw(torch.zeros(1, num_outputs(student.family, student.form)))
    if isinstance(v, Atoms):
        # in standardised units, as z is, so that students of several splits share it
        family = student.family.in_units(0.0, 1.0)
        return HydraDistillation(family) if isinstance(v, Members) else MixtureDistillation(family)
    return DirichletDistillation() if isinstance(v, Dirichlet) else DistributionDistillation()
