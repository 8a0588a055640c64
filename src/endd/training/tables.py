"""Examples of several jobs at once, and the order in which every track sees them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from endd._checks import describe


def map_tensors(work: Callable[[Tensor], Tensor], inputs: Any) -> Any:
    """The same nest of dicts and tuples with every tensor replaced."""
    if isinstance(inputs, Tensor):
        return work(inputs)
    if isinstance(inputs, Mapping):
        return {name: map_tensors(work, value) for name, value in inputs.items()}
    if isinstance(inputs, tuple | list):
        return tuple(map_tensors(work, value) for value in inputs)
    raise TypeError(f"Expected tensors, or dicts or tuples of them, but got {describe(inputs)}.")


def tensors_of(inputs: Any) -> list[Tensor]:
    """All tensors of a nest, in order."""
    found: list[Tensor] = []
    map_tensors(lambda tensor: found.append(tensor) or tensor, inputs)  # type: ignore[func-returns-value]
    return found


def first_tensor(inputs: Any) -> Tensor:
    """Any tensor of the nest: they all have the same number of rows."""
    if isinstance(inputs, Tensor):
        return inputs
    values = list(inputs.values()) if isinstance(inputs, Mapping) else list(inputs)
    if not values:
        raise ValueError("Expected at least one tensor in the inputs, but got none.")
    return first_tensor(values[0])


def sent(tensor: Tensor, device: torch.device) -> Tensor:
    """The tensor on a device; a GPU that is busy is not waited for, so that it finds more to do when it is done."""
    if device.type != "cuda" or tensor.is_cuda:
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


def stack_jobs(jobs: Sequence[Any]) -> Any:
    """Nests of tensors (n_j, ...) to one nest (jobs, n, ...), padded with each job's first row where n_j differ."""
    first = jobs[0]
    if isinstance(first, Tensor):
        longest = max(len(job) for job in jobs)
        if all(len(job) == longest for job in jobs):
            return torch.stack(list(jobs))  # a table may fill much of the memory: no copy of its own
        return torch.stack([torch.cat([job, job[:1].expand(longest - len(job), *job.shape[1:])]) for job in jobs])
    if isinstance(first, Mapping):
        return {name: stack_jobs([job[name] for job in jobs]) for name in first}
    return tuple(stack_jobs([job[place] for job in jobs]) for place in range(len(first)))


# Up to so many numbers are put in order at once.
MAX_ORDERED_CELLS = 50_000_000
# So many times as many rows as are wanted are many.
MANY = 4


class Order:
    """Which rows every track sees in every batch: each has an order of its own, anew in every epoch.

    sizes: the rows of each job. job_of_track: which job a track belongs to. rows_of_track: the rows of its job that a
    track sees; all by default. shared: tracks of a job see its rows in the same order, which need then be put in order
    once for all of them. rows: how many an epoch has, if not all. Tracks with slightly different numbers of rows
    (folds) share the number of steps; each leaves out a few random rows an epoch.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        job_of_track: Sequence[int],
        batch_size: int,
        rows_of_track: Sequence[Tensor] | None = None,
        *,
        shared: bool = False,
        rows: int | None = None,
    ) -> None:
        self.sizes, self.job_of_track, self._rows_of_track = list(sizes), torch.tensor(job_of_track), rows_of_track
        whole = [self.sizes[job] for job in job_of_track]
        self._lengths = whole if rows_of_track is None else [len(rows) for rows in rows_of_track]
        self.rows = min([*self._lengths, *([] if rows is None else [rows])])
        self.batch_size = min(batch_size, self.rows)
        if self.batch_size > 1 and self.rows % self.batch_size == 1:
            self.rows -= 1  # a last batch of one row has no spread, which batch norm needs
        self._shared = shared and len(self.sizes) < len(self.job_of_track)

    def steps(self) -> int:
        """Batches an epoch; a remainder is a smaller one."""
        return -(-self.rows // self.batch_size)

    def batches(self, tables: Any, generator: torch.Generator, tracks: Sequence[slice] | None = None) -> Iterator[Any]:
        """Batches (J, B, ...) of a nest of tables (jobs, n, ...) in a new order.

        tracks: where `tables` is a tuple, which tracks need each of its entries; all by default.
        """
        if not self._shared:
            yield from self._cut(tables, self._order(self._lengths, generator), self.job_of_track, tracks)
            return
        jobs, device = torch.arange(len(self.sizes)), first_tensor(tables).device
        owners = [
            # as it is where each job has one track, in order
            None if torch.equal(self.job_of_track[part], jobs) else sent(self.job_of_track[part], device)
            for part in tracks or [slice(None)]
        ]
        for batch in self._cut(tables, self._order(self.sizes, generator), jobs, None):
            if tracks is None:
                yield _of_jobs(batch, owners[0])
            else:
                yield tuple(_of_jobs(part, owner) for part, owner in zip(batch, owners, strict=True))

    def _cut(self, tables: Any, order: Tensor, jobs: Tensor, tracks: Sequence[slice] | None) -> Iterator[Any]:
        """Batches of rows `order` (J, rows) of the tables of `jobs` (J,).

        Small tables are put in order once an epoch and then cut, which is much cheaper than picking rows for every
        batch; large ones are picked from batch by batch.
        """
        device = first_tensor(tables).device
        order, jobs = sent(order, device), sent(jobs, device)

        def picked(rows: Tensor) -> Any:
            if tracks is None:
                return pick(tables, rows, jobs)
            return tuple(pick(table, rows[part], jobs[part]) for table, part in zip(tables, tracks, strict=True))

        if self._cells(tables) * len(order) <= MAX_ORDERED_CELLS:
            whole = picked(order)
            for start in range(0, self.rows, self.batch_size):
                yield map_tensors(lambda t, at=start: t[:, at : at + self.batch_size], whole)  # type: ignore[misc]
        else:
            yield from map(picked, order.split(self.batch_size, 1))

    def _cells(self, tables: Any) -> int:
        """Numbers in one job's tables."""
        total = 0

        def count(tensor: Tensor) -> Tensor:
            nonlocal total
            total += tensor[0].numel()
            return tensor

        map_tensors(count, tables)
        return total

    def _order(self, lengths: Sequence[int], generator: torch.Generator) -> Tensor:
        """Row numbers (J, rows): each track's own, or each job's."""
        order = [some_of(length, self.rows, generator) for length in lengths]
        if self._rows_of_track is not None:
            order = [rows[places] for rows, places in zip(self._rows_of_track, order, strict=True)]
        return torch.stack(order)


def some_of(length: int, count: int, generator: torch.Generator) -> Tensor:
    """`count` different numbers from 0 to length - 1 in random order.

    >>> some_of(1000, 3, torch.Generator()).unique().shape
    torch.Size([3])
    """
    if MANY * count > length:
        return torch.randperm(length, generator=generator)[:count]
    # few of many: not all of them need be put in order
    found = torch.empty(0, dtype=torch.long)
    while len(found) < count:
        more = torch.randint(length, (count + count // 8,), generator=generator)  # some come twice
        found = _distinct(torch.cat([found, more]))
    return found[:count]


def _distinct(numbers: Tensor) -> Tensor:
    """The first of each number, in the order in which they came."""
    ordered, places = numbers.sort(stable=True)
    first = torch.ones_like(ordered, dtype=torch.bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return numbers[places[first].sort().values]


def pick(table: Any, rows: Tensor, jobs: Tensor) -> Any:
    """Rows (J, B) of a nest (jobs, n, ...) for tracks of these jobs (J,), all on one device: (J, B, ...)."""

    def one(tensor: Tensor) -> Tensor:
        # whole rows of one long table are copied several times faster than entries found by two indices
        places = jobs.unsqueeze(-1) * tensor.shape[1] + rows
        picked = tensor.flatten(0, 1).index_select(0, places.flatten())
        return picked.reshape(*rows.shape, *tensor.shape[2:])

    return map_tensors(one, table)


def _of_jobs(batch: Any, jobs: Tensor | None) -> Any:
    """A nest (jobs, B, ...) for tracks of these jobs."""
    return batch if jobs is None else map_tensors(lambda tensor: tensor.index_select(0, jobs), batch)
