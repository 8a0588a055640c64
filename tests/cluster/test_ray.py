"""A real Ray of two cores gives what the local engine gives."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endd.engines import Engine, LostPartError, map_parts
from endd.studies import toy, uci
from endd.studies.cifar10 import run_stepwise
from endd.studies.result import Result
from tests.cluster.jobs import content, label, run
from tests.studies.small_pictures import TINY, timeless

pytestmark = pytest.mark.cluster
RAY = Engine("ray", workers=2)


@pytest.fixture(scope="module", autouse=True)
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Started once: parts find it and leave it running. Its GPU is one in name only."""
    import ray

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        ray.init(num_cpus=2, num_gpus=1, include_dashboard=False, log_to_driver=False, logging_level="error")
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


def gpus_of(part: int) -> str | None:
    return os.environ.get("CUDA_VISIBLE_DEVICES")


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


def test_a_gpu_is_set_aside_for_parts_that_ask_for_it() -> None:
    assert map_parts(gpus_of, [0, 1], engine=replace(RAY, gpus=1.0)) == ["0", "0"]


# -- studies ---------------------------------------------------------------------------------------------------------


def same(ours: Result, theirs: Result) -> None:
    """The same settings, records and curves."""
    assert timeless(ours) == timeless(theirs)
    assert ours.config == theirs.config
    assert ours.curves.keys() == theirs.curves.keys()
    for name, curve in theirs.curves.items():
        assert np.array_equal(ours.curves[name], curve), name


def test_repeats_of_the_toy_study() -> None:
    config = replace(toy.Config().smoke(), together=1, weights=())
    same(toy.run(config, "none", RAY), toy.run(config, "none"))


def test_data_sets_and_splits_of_the_uci_study(uci_folder: Path) -> None:
    config = replace(uci.Config(datasets=("yacht", "concrete")).smoke(), together=3)
    *_, there = uci.run_stepwise(config, "none", uci_folder, engine=RAY)
    same(there, uci.run(config, "none", uci_folder))


@pytest.mark.usefixtures("small_pictures")
def test_repeats_of_the_cifar10_study(tmp_path: Path) -> None:
    config = replace(TINY, seeds=2, groups=("students", "samplers"))
    *_, there = run_stepwise(config, tmp_path / "there", "none", device="cpu", engine=RAY)
    *_, here = run_stepwise(config, tmp_path / "here", "none", device="cpu")
    same(there, here)
