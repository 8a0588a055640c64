"""What the teacher cache and several processes cost and gain, as ratios within one run.

Claims: labelling into a cache runs at 0.8 of the speed of the bare forward loop or more; two processes label 1.7 times
as fast as one on two idle cores; a student learns from a cache at 0.95 of its speed from tensors in memory, where the
cache fits, and at 0.7 where it is four times the memory that the process may use. The gain of two processes says
nothing where other work shares the cores: look at `uptime` first.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

import endd
from benchmarks.timing import seconds, write
from endd.engines import Engine
from endd.nn import ResNet
from endd.training import TeacherCache, cache_teacher
from endd.training.teachers import ask

ROUNDS = 3
FAMILY = endd.families.Categorical(10)
MEMBERS, DEPTH, BATCH = 10, 20, 128
ROWS = 384  # images of 3 x 32 x 32
# The memory of a control group, and where groups are made; only root may.
LIMIT, CGROUP = 1 << 30, Path("/sys/fs/cgroup/memory")


def pictures(rows: int) -> torch.Tensor:
    """Pixels as they are."""
    generator = torch.Generator().manual_seed(0)
    return torch.randint(0, 256, (rows, 3, 32, 32), dtype=torch.uint8, generator=generator)


def teacher() -> endd.Ensemble:
    """Ten ResNet-20."""
    torch.manual_seed(0)
    return endd.Ensemble([ResNet(DEPTH, 10) for _ in range(MEMBERS)], FAMILY).eval()


def label(ensemble: endd.Ensemble, x: torch.Tensor, out: Path, rows: int, engine: Engine | None = None) -> None:
    """A cache of shards of so many rows."""
    cache_teacher(ensemble, x, out, shard_rows=rows, batch_size=BATCH, engine=engine, progress="none")


def labelling(folder: Path) -> dict[str, object]:
    """The cache against a loop of forward passes over the same batches, and two processes against one."""
    ensemble, x = teacher(), pictures(ROWS)
    bare, cached, ratios, gains = [], [], [], []
    for number in range(ROUNDS):
        bare.append(seconds(lambda: [ask(ensemble, part) for part in x.split(BATCH)]))
        cached.append(seconds(partial(label, ensemble, x, folder / f"one{number}", BATCH)))
        ratios.append(bare[-1] / cached[-1])
        gains.append(gain(ensemble, x, folder / f"engines{number}"))
    rate = ROWS * MEMBERS / statistics.median(cached)
    return {
        "work": f"label {ROWS} images by {MEMBERS} ResNet-{DEPTH}",
        "speed over bare loop": round(statistics.median(ratios), 3),
        "2 processes over 1": round(statistics.median(gains), 2),
        "member-images a second": round(rate),
    }


def gain(ensemble: endd.Ensemble, x: torch.Tensor, folder: Path) -> float:
    """How much faster two processes are than one, once they are up: from the first shard to the last."""
    taken = []
    for workers in (1, 2):
        out = folder / str(workers)
        label(ensemble, x, out, 16, Engine(workers=workers))
        # the first ones of each process come with its start
        times = sorted(file.stat().st_mtime_ns for file in out.glob("shard-*.npy"))[2:]
        taken.append((times[-1] - times[0]) / (len(times) - 1))
    return taken[0] / taken[1]


def learning(folder: Path) -> dict[str, object]:
    """A ResNet-20 student on tensors in memory, on a cache that fits, and on one read in blocks."""
    ensemble, x = teacher(), pictures(ROWS)
    cache_teacher(ensemble, x, folder / "cache", shard_rows=BATCH // 4, progress="none")
    np.save(folder / "x.npy", x.numpy())
    kept = TeacherCache(folder / "cache").outputs()
    inputs = np.load(folder / "x.npy", mmap_mode="r")
    sources = {
        "memory": (lambda: kept, x),
        "cache": (lambda: TeacherCache(folder / "cache"), inputs),
        "blocks": (lambda: TeacherCache(folder / "cache", memory=BATCH * 3500), inputs),
    }
    times: dict[str, list[float]] = {name: [] for name in sources}
    for _ in range(ROUNDS):
        for name, (source, given) in sources.items():
            student = endd.Student(ResNet(DEPTH, endd.num_outputs(FAMILY)), FAMILY)
            work = partial(endd.distill, student=student, inputs=given, epochs=2, batch_size=BATCH, progress="none")
            times[name].append(seconds(lambda source=source, work=work: work(source())))  # type: ignore[misc]
    against = {
        name: statistics.median(a / b for a, b in zip(times["memory"], t, strict=True)) for name, t in times.items()
    }
    return {
        "work": f"distil into a ResNet-{DEPTH}, {ROWS} images, 2 epochs",
        "cache over memory": round(against["cache"], 3),
        "blocks over memory": round(against["blocks"], 3),
        "images a second": round(2 * ROWS / statistics.median(times["memory"])),
    }


def limited(folder: Path) -> dict[str, object]:
    """The student from a cache of four times the memory that a control group leaves it, and from memory without."""
    rows = 4 * LIMIT // (3 * 32 * 32 + MEMBERS * 10 * 2)
    images = np.lib.format.open_memmap(folder / "large.npy", "w+", np.uint8, (rows, 3, 32, 32))
    part = pictures(1 << 14).numpy()
    for at in range(0, rows, len(part)):
        images[at : at + len(part)] = part[: len(images[at : at + len(part)])]
    images.flush()
    quick = endd.Ensemble([Corner() for _ in range(MEMBERS)], FAMILY).eval()
    cache_teacher(quick, folder / "large.npy", folder / "large", dtype="float16", shard_rows=2048, progress="none")
    group = CGROUP / "endd-benchmark"
    group.mkdir(exist_ok=True)
    try:
        (group / "memory.limit_in_bytes").write_text(str(LIMIT))
        ratios, peaks = [], []
        for _ in range(ROUNDS):
            free, bound = child(LEARN, folder, "memory", ""), child(LEARN, folder, "blocks", str(group))
            ratios.append(free["seconds"] / bound["seconds"])
            peaks.append(int((group / "memory.max_usage_in_bytes").read_text()))
    finally:
        group.rmdir()
    return {
        "work": f"distil into a ResNet-{DEPTH}, cache and inputs of {rows} images in a group of {LIMIT >> 20} MB",
        "blocks over memory": round(statistics.median(ratios), 3),
        "peak MB of the group": max(peaks) >> 20,
    }


def flat(folder: Path) -> dict[str, object]:
    """The peak memory of labelling a million rows, and ten."""
    peaks = {}
    for rows in (1_000_000, 10_000_000):
        np.save(folder / f"rows{rows}.npy", np.random.default_rng(0).normal(size=(rows, 8)).astype(np.float32))
        peaks[rows] = child(LABEL, folder, str(rows), "")["peak"] // 1024
    return {"work": "label rows of 8 numbers by 10 MLPs", **{f"peak MB, {n} rows": mb for n, mb in peaks.items()}}


class Corner(torch.nn.Module):
    """Says something about the first pixel, at once."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x[:, :, 0, 0] / 255)


def child(code: str, *arguments: object) -> dict[str, Any]:
    """What a process of its own finds out."""
    command = [sys.executable, "-c", HEAD + code, *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # type: ignore[no-any-return]


HEAD = """
import json, os, sys, time
import numpy as np, torch, endd
from endd.nn import MLP, ResNet
torch.set_num_threads(1)
torch.manual_seed(0)
folder, what, group = sys.argv[1:]
def tell(seconds):
    # not ru_maxrss, which begins with what the parent had
    (peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
    print(json.dumps({"seconds": seconds, "peak": int(peak)}))
"""
LEARN = """
family = endd.families.Categorical(10)
student = endd.Student(ResNet(20, endd.num_outputs(family)), family)
images = np.load(folder + "/large.npy", mmap_mode="r")
options = {"epochs": 2, "batch_size": 128, "progress": "none"}
if what == "memory":
    cache = endd.TeacherCache(folder + "/large")
    teacher, inputs = cache.shard(0)[:, :1024], torch.as_tensor(np.array(images[:1024]))
else:
    if group:
        open(group + "/cgroup.procs", "w").write(str(os.getpid()))
    teacher, inputs = endd.TeacherCache(folder + "/large", memory=1 << 25), images
    options["epoch_rows"] = 1024
start = time.perf_counter()
endd.distill(teacher, student, inputs, **options)
tell(time.perf_counter() - start)
"""
LABEL = """
rows = int(what)
x = f"{folder}/rows{rows}.npy"
teacher = endd.Ensemble([MLP(8, [16], 2) for _ in range(10)], endd.families.Gaussian()).eval()
start = time.perf_counter()
endd.cache_teacher(teacher, x, f"{folder}/labels{rows}", dtype="float16", progress="none")
tell(time.perf_counter() - start)
"""


def main() -> None:
    torch.set_num_threads(1)
    os.environ["OMP_NUM_THREADS"] = "1"
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as name:
        for measure in (labelling, learning, flat, limited):
            if measure is limited and not os.access(CGROUP, os.W_OK):
                print(f"scale: no control groups at {CGROUP}: the limit of memory is left out")
                continue
            rows.append(measure(Path(name)))
            write("scale", rows)
