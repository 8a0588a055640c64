"""What students learn: inputs with their teachers' word on them, in memory or read shard by shard."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from endd.models import Student, num_outputs
from endd.training.cache import TeacherCache
from endd.training.networks import check_networks, network_of
from endd.training.outlines import outline
from endd.training.recipe import Recipe
from endd.training.sources import Source, split_tables, stream_of
from endd.training.streamed import StreamedOrder, check_kinds
from endd.training.students import Kind
from endd.training.tables import Order, first_tensor, map_tensors, stack_jobs

#: (inputs, generator) -> inputs of the same shape.
Perturbation = Callable[[Tensor, torch.Generator], Tensor]
#: Inputs (N, ...) with what a teacher says about them, z (N, M, P).
Table = tuple[Any, Tensor]


class Lessons:
    """The lessons of some students: read, partly set aside, then put into the form in which they are taught.

    A teacher with its inputs is a job, asked once, however many students learn from it. The arguments are those of
    `distill_many`.
    """

    def __init__(
        self,
        teachers: Sequence[Any],
        students: Sequence[Student],
        inputs: Sequence[Any],
        form: str,
        samples: int,
        hold_out: str,
        perturb: Perturbation | None = None,
        late: tuple[int, int] | None = None,
    ) -> None:
        pairs = list(zip(teachers, inputs, students, strict=True))
        names = [(id(teacher), id(given)) for teacher, given, _ in pairs]
        jobs = list(dict.fromkeys(names))
        self.job_of_track = [jobs.index(name) for name in names]
        self.sources = [Source(*pairs[names.index(name)], form, samples, perturb is not None) for name in jobs]
        self.stream = stream_of(self.sources, hold_out)
        self.hold_out, self.perturb, self.late = hold_out, perturb, late
        self.drawn = any(source.draws for source in self.sources)
        if late is not None and (hold_out == "inputs" or self.stream is not None or self.drawn):
            raise ValueError(
                "Expected `late` rows of inputs in memory, in their order, but some are held out, streamed or drawn."
            )
        #: Where lessons are read shard by shard, the first one stands for all.
        self.tables: list[Table] = []
        self.held_out: list[Table] | None = None
        self.shards: list[int] = []
        #: What these are like, in a few numbers.
        self.outline = ""

    def caches(self) -> list[TeacherCache]:
        """The teachers that were asked before."""
        return [source.teacher for source in self.sources if isinstance(source.teacher, TeacherCache)]

    def read(self, generator: torch.Generator) -> None:
        """Ask the teachers, or open what they said."""
        self.tables = [source.shard(0) if self.stream else source.table(generator) for source in self.sources]
        self.outline = outline(tuple(self.tables))

    def check(self, students: Sequence[Student]) -> None:
        """Raise unless every student takes the inputs of its lessons."""
        for student, job in zip(students, self.job_of_track, strict=True):
            outputs = num_outputs(student.family, student.form)
            check_networks([network_of(student)], self.tables[job][0], student.family, None, outputs)

    def set_aside(self, share: float, generator: torch.Generator) -> None:
        """Hold out a share of inputs or members, if that was asked for."""
        if self.stream is None:
            self.tables, self.held_out = split_tables(self.sources, self.tables, self.hold_out, share, generator)
        else:
            self.shards, self.held_out = self.stream.split(self.hold_out, share, generator)

    def fewest_members(self) -> int:
        """That a student is ever taught at once: what is held out may be a single one."""
        fewest = min(z.shape[1] for _, z in [*self.tables, *(self.held_out or [])])
        per_batch = None if self.stream is None else self.stream.teacher.per_batch
        return fewest if per_batch is None else min(fewest, per_batch)

    def taught(self, kinds: list[Kind], recipe: Recipe, device: torch.device) -> dict[str, Any]:
        """The lessons as a `StudentTask` has them, on a device."""
        for cache in self.caches():
            check_kinds(cache, kinds)

        def digested(tables: list[Table]) -> tuple[Any, list[Any]]:
            x, z = map_tensors(lambda t: t.to(device), self._stacked(tables))
            return x, [kind.digest(z) for kind in kinds]

        ordered = self._in_memory(recipe, digested) if self.stream is None else self._streamed(kinds, recipe, device)
        return ordered | {
            "validation": None if self.held_out is None else digested(self.held_out),
            "redraw": self._redraw(digested) if self.drawn else None,
            "relabel": None if self.perturb is None else self._relabel(self.perturb),
        }

    def _in_memory(self, recipe: Recipe, digested: Callable[[list[Table]], tuple[Any, list[Any]]]) -> dict[str, Any]:
        sizes, rows, early = [len(z) for _, z in self.tables], recipe.epoch_rows, None
        if self.late is not None:
            count, epoch = self.late
            early = epoch, self._order(recipe, _without_late(sizes, count), rows)
            rows = early[1].rows
        x, known = digested(self.tables)
        return {"order": self._order(recipe, sizes, rows), "x": x, "known": known, "early": early}

    def _order(self, recipe: Recipe, sizes: list[int], rows: int | None) -> Order:
        return Order(sizes, self.job_of_track, recipe.batch_size, shared=True, rows=rows)

    def _streamed(self, kinds: list[Kind], recipe: Recipe, device: torch.device) -> dict[str, Any]:
        assert self.stream is not None
        stream, tracks = self.stream, len(self.job_of_track)

        def load(number: int) -> Any:
            return map_tensors(lambda t: t.to(device), stream.shard(number))

        how = recipe.batch_size, recipe.epoch_rows
        return {"order": StreamedOrder(load, stream.teacher, self.shards, kinds, tracks, *how), "x": None, "known": []}

    def _stacked(self, tables: list[Table]) -> tuple[Any, Tensor]:
        """The lessons of all jobs as one, (jobs, N, ...)."""
        members = {z.shape[1] for _, z in tables}
        if len(members) > 1:
            raise ValueError(f"Expected teachers with the same number of members, but got {sorted(members)}.")
        return stack_jobs([x for x, _ in tables]), stack_jobs([z for _, z in tables])

    def _redraw(self, digested: Callable[[list[Table]], Any]) -> Callable[[torch.Generator], Any]:
        return lambda generator: digested([source.table(generator) for source in self.sources])

    def _relabel(self, perturb: Perturbation) -> Callable[[Any, torch.Generator], tuple[Any, Tensor]]:
        sources = [self.sources[job] for job in self.job_of_track]

        def perturbed(x: Any, generator: torch.Generator) -> tuple[Any, Tensor]:
            parts = [map_tensors(lambda t, j=job: perturb(t[j], generator), x) for job in range(len(sources))]  # type: ignore[misc]
            z = torch.stack([source.label(part) for source, part in zip(sources, parts, strict=True)])
            return stack_jobs(parts), z.to(first_tensor(x).device)

        return perturbed


def _without_late(sizes: list[int], late: int) -> list[int]:
    """The rows of each job as long as the last ones are not in yet."""
    if not 0 < late < min(sizes):
        raise ValueError(f"Expected `late` rows from 1 to below the {min(sizes)} that there are, but got {late}.")
    return [size - late for size in sizes]
