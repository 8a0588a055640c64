"""A result in the form of the frontier, of numbers made up: wider is better, and more members are."""

import math
from collections.abc import Iterator
from typing import Any

from endd.studies.result import Record, Result, records_of

WIDTHS, SIZES = (1.0, 1.5, 2.0, 4.0), (1, 2, 3, 5, 10)
CONFIG: dict[str, Any] = {
    "preset": "full",
    "epochs": 100,
    "batches": [1, 1024],
    "rounds": 20,
    "corruptions": ["fog", "pixelate"],
    "severities": [1, 5],
    "study": {
        **{"depth": 20, "width": 16, "members": 10, "member": {"epochs": 80}},
        **{"dense_layers": [4, 8, 11], "dense_growth": 12, "train_rows": 40_000, "test_rows": 10_000},
    },
    "command": "endd reproduce frontier --out results/frontier",
}
ENVIRONMENT = {"python": "3.11", "torch": "2.13.0", "device": "NVIDIA H200"}


def models() -> dict[str, tuple[float, float]]:
    """By name: what a model costs as a multiple of one member, and its nll."""
    made = {f"single_{width:g}": (width**2, 0.40 - 0.06 * math.log2(width)) for width in WIDTHS}
    made |= {f"student_{width:g}": (width**2 + 0.001, 0.32 - 0.03 * math.log2(width)) for width in WIDTHS}
    made |= {"dense_1": (2.0, 0.31), "hydra": (1.0005, 0.33)}
    return made | {f"ensemble_{size}": (float(size), 0.26 + 0.14 / size) for size in SIZES}


def frontier_result(repeats: int = 3) -> Result:
    """All records."""
    records = [record for seed in range(repeats) for record in _repeat(seed, repeats)]
    return Result("frontier", CONFIG | {"seeds": repeats}, ENVIRONMENT, records)


def _repeat(seed: int, repeats: int) -> Iterator[Record]:
    for number, (model, (times, nll)) in enumerate(models().items()):
        jitter = 0.001 * ((seed * 7 + number * 3) % 5 - 2)
        found = {"accuracy": 1.1 - nll, "nll": nll + jitter, "ece": nll / 20}
        agreed = {"kl_teacher": nll - 0.27}
        if not model.startswith("single") and model != "ensemble_1":
            agreed |= {"epistemic_spearman": 1.2 - nll, "epistemic_ratio": 0.9, "rejection_overlap@10": 1.1 - nll}
        if model == "ensemble_10" and repeats > 1:
            agreed |= {"kl_reference": 0.03, "epistemic_spearman_reference": 0.87}
        yield from records_of(model, "clean", "test", seed, found | agreed | _costs(model, times))
        yield from records_of(model, "validation", "test", seed, {"nll": found["nll"]})
        yield from records_of(model, "corrupted", "test", seed, {n: 2 * v for n, v in (found | agreed).items()})


def _costs(model: str, times: float) -> dict[str, float]:
    ways = ("ms_a_row", "ms_a_row_loop") if model.startswith("ensemble") and times > 1 else ("ms_a_row",)
    timed = {f"{way}@{size}": times**0.5 / size for way in ways for size in (1, 1024)}
    parameters = 269_722 * (1 if model == "dense_1" else times)
    return {"multiply_adds": 40_551_040 * times, "parameters": parameters, "train_seconds": 60.0} | timed
