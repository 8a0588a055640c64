"""Where a run takes place: versions, machine, command, commit."""

import os
import platform
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import torch

import endd
from endd.training.processes import world


def surroundings() -> dict[str, str | int]:
    """What somebody who finds the results later would like to know."""
    gpus = [torch.cuda.get_device_name(place) for place in range(torch.cuda.device_count())]
    return {
        "endd": endd.__version__,
        "torch": str(torch.__version__),
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "gpus": ", ".join(gpus) or "none",
        "processes": world(),
        "command": " ".join(sys.argv),
        "commit": git_commit(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }


def git_commit() -> str:
    """The commit of the folder that the run was started in, with a + if files differ from it; else nothing."""
    with suppress(OSError, subprocess.SubprocessError):
        commit = _git("rev-parse", "HEAD")
        return f"{commit}+" if _git("status", "--porcelain", "--untracked-files=no") else commit
    return ""


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, timeout=10, check=True)
    return done.stdout.strip()
