"""A disk that goes away under a running job, and comes back: one clear line, and nothing that was written is lost."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.jobs import PATIENCE, content, distill, label, run, start, wait_until
from tests.cluster.test_faults import shards
from tests.cluster.test_torchrun import epochs

pytestmark = pytest.mark.cluster


# Enough that one process is not through before its disk is away.
LONG = 50


def train(folder: Path, out: str) -> list[str]:
    """The command that trains in one process, for long."""
    command = distill(folder, "cache", out)
    command[command.index("--epochs") + 1] = str(LONG)
    return command


def take_away(disk: Path, command: list[str], written: Callable[[Path], int]) -> Path:
    """Run a command until something is written, take its disk away, and read what it says; where the disk is now."""
    away = disk.with_name("away")
    job = start(command)
    wait_until(lambda: written(disk / "out") >= 3, job)
    disk.rename(away)
    _, told = job.communicate(timeout=PATIENCE)
    assert job.returncode == 2, told
    (line,) = told.splitlines()
    assert line.startswith(f"endd: Expected to write {disk}")
    assert "its folder is gone. Bring it back and start again: what was written is kept." in line
    assert not disk.exists()  # nothing is written where a disk should be
    return away


@pytest.mark.parametrize("more", [[], ["--workers", "2"]], ids=["here", "in processes"])
def test_labelling(undisturbed: Path, more: list[str]) -> None:
    disk = undisturbed / "disk"
    command = label(undisturbed, "disk/out", *more)
    away = take_away(disk, command, shards)
    # a shard is there once its record is: the one in work may be made again
    kept = [file.with_suffix(".npy") for file in (away / "out").glob("shard-*.json")]
    times = {file.name: file.stat().st_mtime_ns for file in kept}
    assert len(times) >= 2
    away.rename(disk)
    run(command)
    assert content(disk / "out") == content(undisturbed / "cache")
    assert {name: (disk / "out" / name).stat().st_mtime_ns for name in times} == times
    shutil.rmtree(disk)


def test_training(undisturbed: Path) -> None:
    disk = undisturbed / "disk"
    command = train(undisturbed, "disk/out")
    away = take_away(disk, command, epochs)
    assert 3 <= epochs(away / "out") < LONG
    away.rename(disk)
    run(command)
    run(train(undisturbed, "long"))
    assert content(disk / "out") == content(undisturbed / "long")
    metrics = Path("run", "metrics.csv")
    assert (disk / "out" / metrics).read_bytes() == (undisturbed / "long" / metrics).read_bytes()
    shutil.rmtree(disk)
