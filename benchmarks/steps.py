"""Where the time of a training step goes: students side by side on a GPU, kernel by kernel.

Needs a GPU; elsewhere sizes are tiny and the numbers mean nothing.
"""

from collections.abc import Callable

import torch
from torch.profiler import ProfilerActivity, profile

from benchmarks.epochs import first_epochs
from benchmarks.timing import seconds, write
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_methods import methods
from endd.studies.training import options
from endd.training import distill_many

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
USUAL, DENSE = "distilled_low_rank", "distilled_dense"
# Students, a few (one kind in three repeats) and many (as all kinds are), and images to learn from.
TRACKS, ROWS = (((USUAL, 3), (USUAL, 18), (DENSE, 3)), 128 * 60) if GPU else (((USUAL, 2), (DENSE, 2)), 64)
# The first epoch warms up, compiles and records, the second is timed, the third is looked into.
EPOCHS = 3
MOST_KERNELS = 30


def main() -> None:
    torch.manual_seed(0)
    write("steps" if GPU else "steps_cpu", [_row(*students) for students in TRACKS])


def _row(name: str, tracks: int) -> dict[str, object]:
    """Milliseconds of a step, and those of its kernels."""
    config = Config() if GPU else Config(depth=8, width=4, dense_layers=(1, 1), dense_growth=4)
    kind = methods(config)[name]
    x = torch.randint(0, 256, (ROWS, 3, 32, 32), dtype=torch.uint8, device=DEVICE)
    z = 3 * torch.randn(config.members, ROWS, 10, device=DEVICE)
    taught = [kind.student(config).to(DEVICE) for _ in range(tracks)]
    how = options(config.student, 0) | {"epoch_rows": None, "device": DEVICE, "progress": "none"}
    steps = ROWS // how["batch_size"] or 1
    found: dict[str, object] = {"what": f"training {tracks} x {name}, batch {how['batch_size']}"}

    def look(number: int, work: Callable[[], None]) -> None:
        if number < EPOCHS - 1:
            found["ms a step"] = round(1e3 * seconds(work) / steps, 3)
        else:
            found["kernels, ms a step"] = _kernels(work, steps)

    with first_epochs(EPOCHS, look):
        distill_many([z] * tracks, taught, [x] * tracks, objective=kind.objective, **how)
    return found


def _kernels(work: Callable[[], None], steps: int) -> dict[str, float]:
    """By name, the longest first."""
    with profile(activities=[ProfilerActivity.CUDA if GPU else ProfilerActivity.CPU]) as seen:
        work()
    times = {
        event.key[:80]: (event.self_device_time_total if GPU else event.self_cpu_time_total) / 1e3 / steps
        for event in seen.key_averages()
    }
    longest = sorted(times, key=times.__getitem__, reverse=True)[:MOST_KERNELS]
    return {name: round(times[name], 4) for name in longest}
