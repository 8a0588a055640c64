"""Inputs with what a teacher says about them: asked, kept in memory, or read from a cache."""

from typing import Any

import torch
from torch import Tensor, nn

from endd._checks import describe
from endd.models import Model, Student
from endd.models.inputs import to_model
from endd.training.cache import Rows, TeacherCache, as_rows
from endd.training.cache.records import family_words
from endd.training.cache.rows import Stream, joined, row_bytes
from endd.training.data import as_inputs
from endd.training.streamed import shards_aside
from endd.training.tables import first_tensor, map_tensors
from endd.training.teachers import ask, kept_outputs


class Source:
    """Inputs with the teacher's word on them, drawn anew where inputs are a function."""

    def __init__(
        self, teacher: Any, inputs: Any, student: Student, form: str, samples: int, perturbed: bool = False
    ) -> None:
        self.teacher, self.student, self.form, self.samples = teacher, student, form, samples
        self.members: Tensor | slice = slice(None)  # those that are not held out
        self.draws = callable(inputs) and not isinstance(inputs, nn.Module | Tensor)
        self.inputs = inputs if self.draws or isinstance(teacher, TeacherCache) else as_inputs(inputs)
        if isinstance(teacher, nn.Module) and not isinstance(teacher, Model):
            raise TypeError(f"Expected an endd.Ensemble or member outputs as teacher, but got {describe(teacher)}.")
        if not isinstance(teacher, Model) and (self.draws or perturbed):
            raise TypeError(
                "Expected an Ensemble as teacher for inputs that are drawn or perturbed, but got kept outputs."
            )
        if isinstance(teacher, Model | TeacherCache):
            _check_family(teacher, student, form)
        if isinstance(teacher, TeacherCache):
            self.rows = _cached_rows(teacher, inputs, student)

    def table(self, generator: torch.Generator) -> tuple[Any, Tensor]:
        """Inputs of N rows and z (N, M, P)."""
        if isinstance(self.teacher, TeacherCache):
            parts = [self.shard(number) for number in range(len(self.teacher.records))]
            return tuple(joined(parts))
        x = as_inputs(self.inputs(self.samples, generator)) if self.draws else self.inputs
        x = to_model(x, self.student)
        if isinstance(self.teacher, Model):
            return x, self.label(x)
        z = to_model(kept_outputs(self.teacher, self.student.family, self.form), self.student)
        rows = len(first_tensor(x))
        if z.shape[1] != rows:
            raise ValueError(f"Expected member outputs for all {rows} inputs, but got {z.shape[1]} rows of them.")
        return x, z.movedim(0, 1)

    def shard(self, number: int) -> tuple[Any, Tensor]:
        """Inputs of n rows and z (n, M, P) of a shard of a cache."""
        x = to_model(self.teacher.inputs_of(number, self.rows), self.student)
        z = self.student.family.canonical(self.teacher.shard(number), self.form)
        return x, to_model(z[self.members], self.student).movedim(0, 1)

    def split(
        self, hold_out: str, share: float, generator: torch.Generator
    ) -> tuple[list[int], list[tuple[Any, Tensor]] | None]:
        """Shards of a cache to learn from, and the rows of those that are held out."""
        if hold_out == "none":
            return list(range(len(self.teacher.records))), None
        kept, aside = shards_aside(self.teacher, share, generator)
        return kept, [tuple(joined([self.shard(number) for number in aside]))]

    def too_large(self) -> bool:
        """Whether a cache and its inputs are more than may be in memory."""
        cache = self.teacher
        row = row_bytes(self.rows.read(0, 1)) + 4 * cache.atoms * cache.plan.parameters
        return bool(len(cache) * row > cache.memory)

    def label(self, x: Any) -> Tensor:
        """z (N, M, P) of inputs."""
        z = self.student.family.canonical(ask(self.teacher, x), self.form)
        return to_model(z[self.members], self.student).movedim(0, 1)  # type: ignore[no-any-return]


def _check_family(teacher: Model | TeacherCache, student: Student, form: str) -> None:
    """Raise if the student is of another family, or if the same z would mean something else to it."""
    theirs = teacher.plan.family if isinstance(teacher, TeacherCache) else family_words(teacher.family)
    ours = family_words(student.family)
    same = theirs["name"] == ours["name"]
    if not same or (form == "parameters" and theirs != ours):
        changed = [name for name in {**theirs, **ours} if same and theirs.get(name) != ours.get(name)]
        teachers, students = (
            " with ".join(filter(None, [words["name"], ", ".join(f"{name} {words.get(name)}" for name in changed)]))
            for words in (theirs, ours)
        )
        raise ValueError(
            f"Expected a student of the teacher's family, {teachers}, but got one of {students}: what the teacher "
            "says would mean something else to it. Give both the same family."
        )


def _cached_rows(cache: TeacherCache, inputs: Any, student: Student) -> Rows:
    """The inputs of a cache, if they can be read in any order and the student speaks of the same thing."""
    rows = cache.inputs if inputs is None else as_rows(inputs)
    if isinstance(rows, Stream):
        raise TypeError("Expected inputs that can be read in any order, but got a stream. Label with keep_inputs=True.")
    return rows


def stream_of(sources: list[Source], hold_out: str) -> Source | None:
    """The source that is read shard by shard while students learn, if there is one."""
    caches = [source for source in sources if isinstance(source.teacher, TeacherCache)]
    if hold_out == "members" and any(source.teacher.plan.contents == "moments" for source in caches):
        raise ValueError("Expected a cache of members to hold some of them out, but got one of moments.")
    streams = [source for source in caches if source.teacher.per_batch is not None or source.too_large()]
    if not streams:
        return None
    if len(sources) > 1 or hold_out == "members":
        raise ValueError(
            "Expected one cache, and inputs held out if any, where it is larger than memory or members are drawn a "
            f"batch, but got {len(sources)} teachers and hold_out={hold_out!r}."
        )
    return streams[0]


def split_tables(
    sources: list[Source], tables: list[tuple[Any, Tensor]], hold_out: str, share: float, generator: torch.Generator
) -> tuple[list[tuple[Any, Tensor]], list[tuple[Any, Tensor]] | None]:
    """What is trained on and what is held out: some inputs, or some members."""
    if hold_out == "none":
        return tables, None
    kept, held = [], []
    for source, (x, z) in zip(sources, tables, strict=True):
        size = z.shape[0] if hold_out == "inputs" else z.shape[1]
        aside = max(round(share * size), 1)
        if aside >= size:
            raise ValueError(f"Expected more than {aside} {hold_out} to hold some out, but got {size}.")
        places = torch.randperm(size, generator=generator)
        kept.append(_part(x, z, places[aside:], hold_out))
        held.append(_part(x, z, places[:aside], hold_out))
        if hold_out == "members":
            source.members = places[aside:]
    return kept, held


def _part(x: Any, z: Tensor, places: Tensor, of: str) -> tuple[Any, Tensor]:
    if of == "members":
        return x, z[:, places]
    return map_tensors(lambda tensor: tensor[places], x), z[places]
