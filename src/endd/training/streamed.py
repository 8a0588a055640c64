"""Batches out of a cache that is larger than memory: shards in random order, several of them mixed at a time."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from endd.distributions import Members, ModuloShift, Normal
from endd.objectives import DistributionDistillation, Objective
from endd.objectives.base import WeightedSum
from endd.training.cache import TeacherCache
from endd.training.cache.rows import count_of, joined, row_bytes
from endd.training.students import Kind
from endd.training.tables import map_tensors

#: The number of a shard -> inputs of n rows, and z (n, M, P) of them.
Load = Callable[[int], tuple[Any, Tensor]]


class StreamedOrder:
    """Block-shuffled batches for students of one teacher, who all see the same rows; takes the place of an `Order`.

    Every epoch reads the shards in a new order. As many as half the memory holds are mixed row by row, while the next
    ones are read. load: reads a shard. shards: which of them. rows: how many an epoch has, if not all.
    """

    def __init__(
        self,
        load: Load,
        cache: TeacherCache,
        shards: Sequence[int],
        kinds: Sequence[Kind],
        tracks: int,
        batch_size: int,
        rows: int | None = None,
    ) -> None:
        self.load, self.shards, self.kinds, self.members = load, list(shards), kinds, cache.per_batch
        self.job_of_track = torch.zeros(tracks, dtype=torch.long)
        held = sum(cache.records[number].stop - cache.records[number].start for number in self.shards)
        self.rows = held if rows is None else min(rows, held)
        self.batch_size = min(batch_size, self.rows)
        x, z = load(self.shards[0])
        size = count_of(x) * (row_bytes(x) + z[0].numel() * z.element_size())
        self.at_once = max(cache.memory // 2 // max(size, 1), 1)

    def steps(self) -> int:
        """Batches an epoch; a remainder is a smaller one."""
        return -(-self.rows // self.batch_size)

    def batches(self, tables: Any, generator: torch.Generator, tracks: Sequence[slice] | None = None) -> Iterator[Any]:
        """(x, what each kind knows), each (J, B, ...). There are no tables: the rows come from the disk."""
        yield from islice(self._all_batches(generator), self.steps())

    def _all_batches(self, generator: torch.Generator) -> Iterator[Any]:
        # all that is random in an epoch follows from one draw, however far ahead shards are read
        own = torch.Generator().manual_seed(int(torch.randint(1 << 62, (), generator=generator)))
        order = [self.shards[place] for place in torch.randperm(len(self.shards), generator=own).tolist()]
        rest: Any = None
        for x, z in self._windows([order[at : at + self.at_once] for at in range(0, len(order), self.at_once)]):
            places = torch.randperm(len(z), generator=own)
            mixed = map_tensors(lambda t, at=places: t[at.to(t.device)], (x, z))  # type: ignore[misc]
            whole = mixed if rest is None else joined([rest, mixed])
            full = count_of(whole) // self.batch_size * self.batch_size
            for at in range(0, full, self.batch_size):
                yield self._batch(whole, at, own)
            rest = map_tensors(lambda t, at=full: t[at:], whole)  # type: ignore[misc]
        if count_of(rest):
            yield self._batch(rest, 0, own)

    def _windows(self, windows: list[list[int]]) -> Iterator[tuple[Any, Tensor]]:
        """The rows of some shards at a time, read while those before them are learnt from."""
        with ThreadPoolExecutor(1) as ahead:
            coming = ahead.submit(self._window, windows[0])
            for following in [*windows[1:], None]:
                ready = coming.result()
                if following is not None:
                    coming = ahead.submit(self._window, following)
                yield ready

    def _window(self, numbers: list[int]) -> tuple[Any, Tensor]:
        parts = [self.load(number) for number in numbers]
        x, z = joined(parts) if len(parts) > 1 else parts[0]
        return x, z

    def _batch(self, rows: Any, at: int, generator: torch.Generator) -> tuple[Any, ...]:
        x, z = map_tensors(lambda tensor: tensor[at : at + self.batch_size], rows)
        if self.members is not None:
            z = z[:, torch.randperm(z.shape[1], generator=generator)[: self.members].to(z.device)]
        known = [self._for_tracks(kind.digest(z), kind.tracks.stop - kind.tracks.start) for kind in self.kinds]
        return self._for_tracks(x, len(self.job_of_track)), *known

    def _for_tracks(self, nest: Any, tracks: int) -> Any:
        return map_tensors(lambda tensor: tensor.expand(tracks, *tensor.shape), nest)


def shards_aside(cache: TeacherCache, share: float, generator: torch.Generator) -> tuple[list[int], list[int]]:
    """Shards to learn from, and those that are held out: a share of them, at least one."""
    count = len(cache.records)
    aside = max(round(share * count), 1)
    if aside >= count:
        raise ValueError(f"Expected more than {aside} shards to hold some out, but got {count}. Label smaller ones.")
    order = torch.randperm(count, generator=generator).tolist()
    return sorted(order[aside:]), sorted(order[:aside])


def check_kinds(cache: TeacherCache, kinds: Sequence[Kind]) -> None:
    """Raise unless what students learn can be learnt from what the cache holds."""
    for kind in kinds:
        v = kind.v(torch.zeros(1, 1, kind.outputs))
        if cache.plan.contents == "moments" and not (
            isinstance(v, Normal | ModuloShift) and _likelihood(kind.objective)
        ):
            raise ValueError(
                f"Expected a student with a normal v and the distribution objective, for {cache.path} holds moments "
                f"only, but got {kind.form} and {kind.objective}. Label with contents='members'."
            )
        if cache.per_batch is not None and (isinstance(v, Members) or cache.weights is not None):
            raise ValueError("Expected members without weights or heads of their own to draw some of them a batch.")


def _likelihood(objective: Objective) -> bool:
    if isinstance(objective, WeightedSum):
        return all(_likelihood(term) for _, term in objective.terms)
    return type(objective) is DistributionDistillation
