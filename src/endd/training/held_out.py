"""Every member holds out a part of its own: each has something to be judged by, and together they learn from all."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from endd.models import Ensemble
from endd.training.tables import map_tensors


def rows_aside(held_out: Any, ensembles: Sequence[Ensemble], jobs: list[tuple[Any, Tensor]], seed: int) -> list[Tensor]:
    """The rows that each member of each ensemble holds out."""
    if isinstance(held_out, int):
        raise ValueError(f"Expected `held_out` to be a part between 0 and 1, such as 0.1, or rows, but got {held_out}.")
    if isinstance(held_out, float):
        generator = torch.Generator().manual_seed(seed)
        found = [
            different_parts(len(y), len(job), held_out, generator) for (_, y), job in zip(jobs, ensembles, strict=True)
        ]
    else:
        found = [[torch.as_tensor(rows) for rows in given] for given in held_out]
    for rows, (_, y), ensemble in zip(found, jobs, ensembles, strict=True):
        if len(rows) != len(ensemble) or any(not 0 < len(set(some.tolist())) < len(y) for some in rows):
            raise ValueError(
                f"Expected some of the {len(y)} rows, and not all of them, to be held out by each of {len(ensemble)} "
                f"members, but got {[len(some) for some in rows]} rows."
            )
    return [some for rows in found for some in rows]


def different_parts(rows: int, members: int, share: float, generator: torch.Generator) -> list[Tensor]:
    """For each member a share of the rows (at least one); parts are different until all rows have had their turn.

    >>> [part.tolist() for part in different_parts(4, 2, 0.5, torch.Generator().manual_seed(0))]
    [[0, 1], [3, 2]]
    """
    if not 0 < share < 1:
        raise ValueError(f"Expected the share that is held out between 0 and 1, but got {share}.")
    size = max(round(share * rows), 1)
    rounds = -(-members * size // rows)
    order = torch.cat([torch.randperm(rows, generator=generator) for _ in range(rounds)])
    return [order[member * size : (member + 1) * size] for member in range(members)]


def keep_and_check(
    table: tuple[Any, ...], sizes: list[int], tracks: list[int], aside: list[Tensor]
) -> tuple[list[Tensor], tuple[Any, ...]]:
    """The rows that each member keeps, and the tables of those that it holds out."""
    kept = []
    for job, rows in zip(tracks, aside, strict=True):
        keeps = torch.ones(sizes[job], dtype=torch.bool)
        keeps[rows] = False
        kept.append(keeps.nonzero().squeeze(1))
    shortest = min(map(len, aside))
    tables = map_tensors(
        lambda t: torch.stack([t[job, rows[:shortest]] for job, rows in zip(tracks, aside, strict=True)]), table
    )
    return kept, tables
