"""Kept outputs of a teacher: every file is checked before it is used, and named if it is not what was written."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from endd.training.cache.fingerprints import RowsHash, file_fingerprint
from endd.training.cache.moments import sigma_points
from endd.training.cache.records import CacheError, Plan, Record, inputs_file, read_plan, shard_file
from endd.training.cache.rows import Rows, joined
from endd.training.cache.writing import read_inputs
from endd.training.tables import map_tensors

# What of a cache and its inputs may be in memory at once.
MEMORY = 1 << 30


class TeacherCache:
    """What a teacher said, on disk: `distill` takes it in the teacher's place.

    path: the folder that `cache_teacher` or `endd label` wrote. members: how many of them, drawn at random, a batch is
    taught by; by default all. memory: bytes of the cache and its inputs that are in memory at once; a larger one is
    read shard by shard in random order, several of them mixed.
    """

    def __init__(self, path: str | Path, *, members: int | None = None, memory: int = MEMORY) -> None:
        self.path, self.per_batch, self.memory = Path(path), members, memory
        self.plan, self.records = _finished(self.path)
        if members is not None and (self.plan.contents == "moments" or not 1 <= members <= self.plan.members):
            raise ValueError(
                f"Expected from 1 to {self.plan.members} members a batch, of a cache of members, but got {members} of "
                f"one of {self.plan.contents}."
            )
        self._checked: set[Path] = set()
        self._same_inputs: set[int] = set()

    def __len__(self) -> int:
        return self.records[-1].stop

    @property
    def atoms(self) -> int:
        """How many atoms an input has: members, or points with their moments."""
        return 2 * self.plan.parameters if self.plan.contents == "moments" else self.plan.members

    @property
    def weights(self) -> Tensor | None:
        """The members' weights (M,), None where they are equal."""
        known = self.plan.weights
        return None if known is None or self.plan.contents == "moments" else torch.tensor(known)

    def identity(self) -> str:
        """What a run must find again to go on: the same words, read in the same way."""
        said = [self.plan, self.records, self.per_batch, self.memory]
        return hashlib.sha256(repr(said).encode()).hexdigest()

    def shard(self, number: int, members: Tensor | None = None) -> Tensor:
        """z (M, n, P) of the rows of a shard, or of some members; in place of moments, points that have them."""
        record = self.records[number]
        file = shard_file(self.path, number)
        self._check(file, record.sha256)
        array = np.load(file, mmap_mode="r", allow_pickle=False)
        shape = self.plan.shape(record.stop - record.start)
        if array.shape != shape or array.dtype != self.plan.dtype:
            raise CacheError(f"Expected {self.plan.dtype} outputs of shape {shape} in {file}, but it holds others.")
        chosen = array if members is None else array[members.numpy()]
        z = torch.as_tensor(np.array(chosen, dtype=np.float32))
        return sigma_points(z, self.plan.parameters) if self.plan.contents == "moments" else z

    def outputs(self) -> Tensor:
        """z (M, N, P) of all rows."""
        return torch.cat([self.shard(number) for number in range(len(self.records))], 1)

    def inputs_of(self, number: int, rows: Rows) -> Any:
        """The rows of a shard, if they are those that it was labelled for."""
        record = self.records[number]
        nest = rows.read(record.start, record.stop)
        if number not in self._same_inputs:
            if len(rows) != len(self) or RowsHash().update(nest).hexdigest() != record.inputs:
                raise CacheError(
                    f"Expected the {len(self)} inputs that {self.path} was labelled for, but rows {record.start} to "
                    f"{record.stop - 1} are others. Label them into another folder."
                )
            self._same_inputs.add(number)
        return nest

    @property
    def inputs(self) -> Rows:
        """The inputs that were kept with the outputs."""
        if not self.plan.keep_inputs:
            raise ValueError(f"Expected `inputs`, for {self.path} does not hold them. Label with keep_inputs=True.")
        return KeptRows(self)

    def kept_inputs(self, number: int) -> Any:
        """The inputs of a shard, as they were kept."""
        record, file = self.records[number], inputs_file(self.path, number)
        assert record.kept_inputs is not None
        self._check(file, record.kept_inputs)
        return read_inputs(file)

    def _check(self, file: Path, sha: str) -> None:
        if file in self._checked:
            return
        if not file.is_file():
            raise CacheError(f"Expected {file}, but it is gone. Label again into the same folder to make it again.")
        if file_fingerprint(file) != sha:
            raise CacheError(
                f"Expected {file} as it was written, but it is damaged. Label again into the same folder to make it "
                "again."
            )
        self._checked.add(file)

    def __repr__(self) -> str:
        plan = replace(self.plan, teacher=self.plan.teacher[:8])
        return f"TeacherCache({str(self.path)!r}, {plan})"


class KeptRows(Rows):
    """The inputs that a cache holds, a shard at a time."""

    def __init__(self, cache: TeacherCache) -> None:
        self.cache = cache

    def __len__(self) -> int:
        return len(self.cache)

    def read(self, start: int, stop: int) -> Any:
        """Rows out of the shards that they lie in."""
        size = self.cache.plan.shard_rows
        numbers = range(start // size, -(-min(stop, len(self)) // size))
        nest = joined([self.cache.kept_inputs(number) for number in numbers])
        offset = numbers[0] * size
        return map_tensors(lambda tensor: tensor[start - offset : stop - offset], nest)


def _finished(folder: Path) -> tuple[Plan, list[Record]]:
    found = read_plan(folder)
    if found is None:
        raise FileNotFoundError(f"Expected a teacher cache in {folder}, but there is none. Make one with `endd label`.")
    plan, records = found
    if records is None:
        raise CacheError(f"Expected a finished cache in {folder}, but its labelling was stopped. Start it again.")
    return plan, records
