"""Real jobs in processes of their own, which can be watched and killed."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import numpy as np
import torch

import endd
from endd.nn import MLP

ROWS, SHARD_ROWS, EPOCHS = 4000, 100, 12
# Long enough for a slow machine, short enough to notice a job that hangs.
PATIENCE = 120.0


def prepare(folder: Path) -> Path:
    """A folder with an ensemble whose forward pass takes a while, and inputs for it."""
    torch.manual_seed(0)
    members = [MLP(8, [300, 300], 2) for _ in range(5)]
    endd.save(endd.Ensemble(members, endd.families.Gaussian()), folder / "teacher")
    np.save(folder / "x.npy", np.random.default_rng(0).normal(size=(ROWS, 8)).astype(np.float32))
    return folder


def label(folder: Path, out: str, *more: str) -> list[str]:
    """The command that labels the inputs."""
    command = ["label", folder / "teacher", folder / "x.npy", "--out", folder / out, "--shard-rows", SHARD_ROWS]
    return [sys.executable, "-m", "endd", *map(str, command), "--progress", "none", *more]


def distill(folder: Path, cache: str, out: str, processes: int = 1, *more: str) -> list[str]:
    """The command that trains a student from a cache."""
    launched = ["--standalone", "--nproc-per-node", processes, "--max-restarts", 3] if processes > 1 else []
    return _student(folder, cache, out, launched, *more)


def distill_on_machines(folder: Path, cache: str, out: str, count: int = 2) -> None:
    """Train a student with a process on each of several machines, which are all this one.

    On a GPU nccl refuses two processes on one device unless it takes them to be on machines of different names.
    """
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = door.getsockname()[1]
    jobs = []
    for rank in range(count):
        place = ["--nnodes", count, "--node-rank", rank, "--master-addr", "127.0.0.1", "--master-port", port]
        place += ["--nproc-per-node", 1]
        names = {"NCCL_HOSTID": f"machine-{rank}", "NCCL_SOCKET_IFNAME": "lo", "NCCL_IB_DISABLE": "1"}
        jobs.append(start(_student(folder, cache, out, place), names))
    for job in jobs:
        finish(job)


def _student(folder: Path, cache: str, out: str, launched: Sequence[str | int], *more: str) -> list[str]:
    """`endd distill`, by torchrun if there is anything to tell it."""
    launcher = [sys.executable]
    if launched:
        launcher += ["-m", "torch.distributed.run", *map(str, launched)]
    command = ["distill", folder / cache, folder / "x.npy", "--out", folder / out, "--hidden", 32, 32]
    command += ["--epochs", EPOCHS, "--batch-size", 250, "--checkpoint-seconds", 0]
    return [*launcher, "-m", "endd", *map(str, command), "--progress", "none", *more]


def start(command: Sequence[str], surroundings: Mapping[str, str] = MappingProxyType({})) -> subprocess.Popen[str]:
    """A job as the leader of a session of its own."""
    # a store of its own in every attempt: the shared one has addresses of processes that are gone
    fresh = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    environment = {**os.environ, **fresh, "OMP_NUM_THREADS": "1", **surroundings}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, start_new_session=True, stdout=pipe, stderr=pipe, text=True)


def finish(job: subprocess.Popen[str]) -> None:
    """Wait for a job that must succeed."""
    _, errors = job.communicate(timeout=PATIENCE)
    assert job.returncode == 0, errors


def run(command: Sequence[str]) -> None:
    """A job from beginning to end."""
    finish(start(command))


def wait_until(ready: Callable[[], bool], job: subprocess.Popen[str]) -> None:
    """Until something is so, or the job has ended."""
    end = time.monotonic() + PATIENCE
    while not ready() and job.poll() is None:
        assert time.monotonic() < end, "the job hangs"
        time.sleep(0.01)


def descendants(pid: int) -> list[int]:
    """All processes that a process has started, and those that they have."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *descendants(child)]
    return found


def command_of(pid: int) -> str:
    """The command line of a process, nothing if it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def kill(pids: Sequence[int]) -> None:
    """kill -9."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def kill_all(job: subprocess.Popen[str]) -> None:
    """kill -9 a job and everything that it started."""
    kill([job.pid, *descendants(job.pid)])
    job.communicate()


def content(folder: Path) -> dict[str, bytes]:
    """All files directly in a folder but for what says when and where it was made."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}
