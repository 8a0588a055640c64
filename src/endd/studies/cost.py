"""What a model costs: parameters, bytes, and time a row."""

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from endd.models import Model
from endd.training.tables import map_tensors

BATCHES = (1, 64, 1024)


def cost(model: Model, x: Any) -> dict[str, float]:
    """Parameters, bytes of all tensors, and milliseconds a row in batches of some sizes, uncertainties included."""
    tensors = list(model.state_dict().values())
    times = {size: _milliseconds(partial(_answer, model, _batch(x, size))) / size for size in BATCHES}
    return {
        "parameters": float(sum(p.numel() for p in model.parameters())),
        "bytes": float(sum(tensor.numel() * tensor.element_size() for tensor in tensors)),
        **{f"ms_a_row@{size}": taken for size, taken in times.items()},
    }


def _batch(x: Any, size: int) -> Any:
    """So many rows, some of them several times if there are fewer."""
    return map_tensors(lambda tensor: tensor[torch.arange(size, device=tensor.device) % len(tensor)], x)


def _answer(model: Model, x: Any) -> None:
    prediction = model.predict(x)
    _ = prediction.total, prediction.aleatoric, prediction.epistemic
    if prediction.total.is_cuda:
        torch.cuda.synchronize()


def _milliseconds(work: Callable[[], object], rounds: int = 5) -> float:
    """The median of a few runs, after one to warm up."""
    taken = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        work()
        taken.append(1e3 * (time.perf_counter() - start))
    return statistics.median(taken[1:])
