"""A real Ray of two cores gives what the local engine gives."""

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from endd.engines import Engine, LostPartError, map_parts
from tests.cluster.jobs import content, label, run

pytestmark = pytest.mark.cluster
RAY = Engine("ray", workers=2)


@pytest.fixture(scope="module", autouse=True)
def ray() -> Iterator[Any]:
    """Started once: parts find it and leave it running."""
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield ray
    ray.shutdown()


def square(part: int) -> int:
    return part * part


def dies_once(folder: Path, part: int) -> int:
    mark = folder / "died"
    if part == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    with (folder / f"done-{part}").open("a") as stream:
        stream.write("x")
    return part * part


def dies_always(part: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return part


def refuses(part: int) -> int:
    raise ValueError(f"not {part}")


def test_results_are_those_of_the_local_engine() -> None:
    assert map_parts(square, range(20), engine=RAY) == map_parts(square, range(20), engine=Engine(workers=2))


def test_a_killed_workers_part_is_done_by_another_and_counts_once(tmp_path: Path) -> None:
    told: list[int] = []
    found = map_parts(partial(dies_once, tmp_path), range(6), engine=RAY, tell=lambda done, of: told.append(done))
    assert found == [0, 1, 4, 9, 16, 25]
    assert (tmp_path / "died").exists()
    assert [(tmp_path / f"done-{part}").read_text() for part in range(6)] == ["x"] * 6
    assert told == [1, 2, 3, 4, 5, 6]


def test_a_part_that_kills_every_worker_is_named() -> None:
    with pytest.raises(LostPartError, match="part 0"):
        map_parts(dies_always, [0], engine=RAY)


def test_what_a_part_raises_is_raised_here() -> None:
    with pytest.raises(ValueError, match="not 4"):
        map_parts(refuses, [4], engine=RAY)


def test_shards_from_ray_are_those_of_this_machine(undisturbed: Path, ray: Any) -> None:
    address = ray.get_runtime_context().gcs_address
    run(label(undisturbed, "ray", "--engine", "ray", "--address", address))
    assert content(undisturbed / "ray") == content(undisturbed / "cache")
