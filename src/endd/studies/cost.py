"""What a model costs: parameters, bytes, memory, multiply-adds, and time a row."""

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from endd.models import Model
from endd.studies.memory import peak_bytes
from endd.training.tables import map_tensors

BATCHES = (1, 64, 1024)
ROUNDS = 5


def cost(model: Model, x: Any) -> dict[str, float]:
    """Parameters, bytes of all tensors, peak memory, and milliseconds a row in batches, uncertainties included."""
    tensors = list(model.state_dict().values())
    held = float(sum(tensor.numel() * tensor.element_size() for tensor in tensors))
    answers = {size: partial(_answer, model, _batch(x, size)) for size in BATCHES}
    return {
        "parameters": float(sum(p.numel() for p in model.parameters())),
        "bytes": held,
        **{f"ms_a_row@{size}": milliseconds_a_row(model, x, size) for size in BATCHES},
        # after the runs above, so that what is made once and kept is not counted
        **{f"peak_bytes@{size}": held + peak_bytes(answer, tensors) for size, answer in answers.items() if size > 1},
    }


def milliseconds_a_row(model: Model, x: Any, size: int, rounds: int = ROUNDS) -> float:
    """How long a row takes in a batch of so many, uncertainties included: the median of some rounds."""
    return _milliseconds(partial(_answer, model, _batch(x, size)), rounds) / size


@torch.no_grad()
def multiply_adds(model: Model, x: Any) -> float:
    """Products of the networks' convolutions and linear layers for one row: half the operations that torch counts.

    >>> import endd
    >>> family = endd.families.Gaussian()
    >>> multiply_adds(endd.Ensemble([torch.nn.Linear(3, 2) for _ in range(5)], family), torch.zeros(8, 3))
    30.0
    """
    with FlopCounterMode(display=False) as counter:
        model(_batch(x, 1))
    return float(counter.get_total_flops()) / 2


def _batch(x: Any, size: int) -> Any:
    """So many rows, some of them several times if there are fewer."""
    return map_tensors(lambda tensor: tensor[torch.arange(size, device=tensor.device) % len(tensor)], x)


def _answer(model: Model, x: Any) -> None:
    prediction = model.predict(x)
    _ = prediction.total, prediction.aleatoric, prediction.epistemic
    if prediction.total.is_cuda:
        torch.cuda.synchronize()


def _milliseconds(work: Callable[[], object], rounds: int) -> float:
    """The median of a few runs, after one to warm up."""
    taken = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        work()
        taken.append(1e3 * (time.perf_counter() - start))
    return statistics.median(taken[1:])
