"""Fair ratios on noisy machines: the contestants take turns, and each round gives one ratio."""

import json
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import endd

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results" / "bench"


def seconds(work: Callable[[], object]) -> float:
    """The time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def take_turns(
    contestants: dict[str, Callable[[], object]], rounds: int, repeat: int = 1, settle: int = 0
) -> dict[str, list[float]]:
    """Times of every contestant, round by round; each round runs each of them `repeat` times.

    settle: calls before each turn that are not counted, where threads of the one before still wait for more to do.
    """
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(rounds + 2):
        for name, work in contestants.items():
            for _ in range(settle):
                work()
            taken = seconds(lambda work=work: [work() for _ in range(repeat)]) / repeat  # type: ignore[misc]
            if number >= 2:  # the first two rounds warm up
                times[name].append(taken)
    return times


def ratio(times: dict[str, list[float]], of: str, to: str) -> float:
    """The median over rounds of time(of) / time(to)."""
    return statistics.median(a / b for a, b in zip(times[of], times[to], strict=True))


def milliseconds(times: dict[str, list[float]]) -> dict[str, float]:
    """The median time of every contestant, for orientation only."""
    return {name: round(1e3 * statistics.median(values), 4) for name, values in times.items()}


def write(name: str, rows: list[dict[str, Any]]) -> None:
    """results/bench/NAME.json, and a line a row on the terminal."""
    environment = {
        "endd": endd.__version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "threads": torch.get_num_threads(),
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else platform.machine(),
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"benchmark": name, "environment": environment, "rows": rows}, indent=1)
    (RESULTS / f"{name}.json").write_text(text + "\n")
    for row in rows:
        print(f"{name}: " + "  ".join(f"{key}={value}" for key, value in row.items()), flush=True)
