"""What a teacher says about a part of the inputs, and who it is."""

import hashlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from endd._checks import describe
from endd.models import Ensemble, Model
from endd.training.cache.fingerprints import RowsHash, network_fingerprint
from endd.training.cache.one_by_one import OneByOne
from endd.training.cache.rows import Rows
from endd.training.teachers import ask

Teacher = Model | OneByOne


def check_teacher(teacher: Any) -> None:
    """Raise unless a teacher can be asked."""
    if not isinstance(teacher, Model | OneByOne):
        raise TypeError(f"Expected an endd.Ensemble or another model as teacher, but got {describe(teacher)}.")


def teacher_fingerprint(teacher: Teacher) -> str:
    """sha256 of a teacher: the same for an ensemble and for its members one by one."""
    if isinstance(teacher, OneByOne):
        members = [network_fingerprint(single.members[0]) for single in teacher.members()]
    elif isinstance(teacher, Ensemble):
        members = [network_fingerprint(member) for member in teacher.members]
    else:
        members = [network_fingerprint(teacher)]
    output = getattr(teacher, "output", None)
    described = [*members, repr(teacher.family), repr(weights_of(teacher)), getattr(output, "__qualname__", output)]
    return hashlib.sha256("\n".join(map(str, described)).encode()).hexdigest()


def weights_of(teacher: Teacher) -> list[float] | None:
    """The members' weights, None where they are equal."""
    weights = teacher.weights
    return None if weights is None else torch.as_tensor(weights).tolist()


def outputs(teacher: Teacher, rows: Rows, start: int, stop: int, batch: int) -> tuple[Tensor, str]:
    """z (M, n, P) of the rows from start to before stop, and the hash of these rows."""
    seen = RowsHash()
    if isinstance(teacher, OneByOne):
        said = []
        for number, single in enumerate(teacher.members()):
            parts = [ask(single, part) for part in _parts(rows, start, stop, batch, None if number else seen)]
            said.append(torch.cat(parts, 1))
        return torch.cat(said), seen.hexdigest()
    parts = [ask(teacher, part) for part in _parts(rows, start, stop, batch, seen)]
    return torch.cat(parts, 1), seen.hexdigest()


def rows_fingerprint(rows: Rows, start: int, stop: int, batch: int) -> str:
    """The hash that `outputs` gives, without asking anybody."""
    seen = RowsHash()
    for _ in _parts(rows, start, stop, batch, seen):
        pass
    return seen.hexdigest()


def _parts(rows: Rows, start: int, stop: int, batch: int, seen: RowsHash | None) -> Iterator[Any]:
    for at in range(start, stop, batch):
        part = rows.read(at, min(at + batch, stop))
        if seen is not None:
            seen.update(part)
        yield part
