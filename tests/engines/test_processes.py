"""Processes may die at any moment: their parts go to others, and count once."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest
import torch

from endd.engines import Engine, LostPartError, map_parts

TWO = Engine(workers=2)


def dies_once(folder: Path, part: int) -> int:
    """Killed the first time that it is asked for part 1."""
    mark = folder / "died"
    if part == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    with (folder / f"done-{part}").open("a") as stream:
        stream.write("x")
    return part * part


def dies_always(part: int) -> int:
    if part == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return part


def refuses(part: int) -> int:
    raise ValueError(f"not {part}")


def test_results_are_those_of_one_process() -> None:
    assert map_parts(abs, range(-5, 5), engine=TWO) == map_parts(abs, range(-5, 5))


def test_a_killed_workers_part_is_done_by_another(tmp_path: Path) -> None:
    told: list[int] = []
    found = map_parts(partial(dies_once, tmp_path), range(6), engine=TWO, tell=lambda done, of: told.append(done))
    assert found == [0, 1, 4, 9, 16, 25]
    assert (tmp_path / "died").exists()
    assert [(tmp_path / f"done-{part}").read_text() for part in range(6)] == ["x"] * 6
    assert told == [1, 2, 3, 4, 5, 6]


def test_a_part_that_kills_every_worker_is_named() -> None:
    with pytest.raises(LostPartError, match="part 1"):
        map_parts(dies_always, range(3), engine=TWO)


def test_what_a_part_raises_is_raised_here() -> None:
    with pytest.raises(ValueError, match="not 4"):
        map_parts(refuses, [4], engine=TWO)


def sum_of(tensor: torch.Tensor, part: int) -> float:
    return float(tensor.sum()) + part


def test_tensors_stay_where_they_are() -> None:
    tensor = torch.ones(10)
    array = tensor.numpy()
    assert map_parts(partial(sum_of, tensor), [1, 2], engine=TWO) == [11, 12]
    assert not tensor.is_shared()
    assert array.tolist() == [1.0] * 10
