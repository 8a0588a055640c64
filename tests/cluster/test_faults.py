"""kill -9 at random moments: what is left in the end is, byte for byte, what an undisturbed run leaves.

ENDD_FAULTS says how many faults there are, 3 by default; which and when follows from the seed.
"""

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.jobs import (
    EPOCHS,
    ROWS,
    SHARD_ROWS,
    command_of,
    content,
    descendants,
    distill,
    finish,
    kill,
    kill_all,
    label,
    run,
    start,
    wait_until,
)
from tests.cluster.test_torchrun import epochs

pytestmark = pytest.mark.cluster
SEED = 8
KINDS = ("labelling worker", "ddp rank", "ray worker", "whole labelling", "whole training")


def plan() -> list[tuple[int, str, float]]:
    """Which faults, and how far through the work each comes."""
    count, chance = int(os.environ.get("ENDD_FAULTS", "3")), random.Random(SEED)
    return [(number, KINDS[number % len(KINDS)], chance.uniform(0.05, 0.9)) for number in range(count)]


def victim(job: subprocess.Popen[str], mark: str, chance: random.Random) -> int:
    """One of the processes of a job whose command line holds a word; Ray's have another name between two parts."""
    found: list[int] = []

    def there() -> bool:
        found[:] = sorted(pid for pid in descendants(job.pid) if mark in command_of(pid))
        return bool(found)

    wait_until(there, job)
    return chance.choice(found)


def shards(folder: Path) -> int:
    return len(list(folder.glob("shard-*.npy")))


@pytest.mark.parametrize(("number", "kind", "part"), plan(), ids=lambda value: str(value)[:16])
def test_faults_leave_no_trace(undisturbed: Path, number: int, kind: str, part: float) -> None:
    out, chance = undisturbed / f"fault{number}", random.Random(SEED + number)
    name = out.name
    labels = "labelling" in kind or "ray" in kind
    progress: Callable[[], int] = (lambda: shards(out)) if labels else (lambda: epochs(out))
    due = int(part * (ROWS // SHARD_ROWS if labels else EPOCHS))
    commands = {
        "labelling worker": (label(undisturbed, name, "--workers", "2"), "multiprocessing.spawn"),
        "whole labelling": (label(undisturbed, name, "--workers", "2"), ""),
        "ray worker": (label(undisturbed, name, "--engine", "ray", "--workers", "2"), "ray::_call"),
        "ddp rank": (distill(undisturbed, "cache", name, 2), " -m endd distill"),
        "whole training": (distill(undisturbed, "cache", name, 2), ""),
    }
    command, mark = commands[kind]
    job = start(command)
    wait_until(lambda: progress() >= max(due, 1), job)
    assert job.poll() is None, "the work was over before the fault"
    if kind.startswith("whole"):
        kill_all(job)
        run(command)
    else:
        kill([victim(job, mark, chance)])
        finish(job)
    assert content(out) == content(undisturbed / ("cache" if labels else "two"))
    if not labels:
        metrics = Path("run", "metrics.csv")
        assert (out / metrics).read_bytes() == (undisturbed / "two" / metrics).read_bytes()
    shutil.rmtree(out)
