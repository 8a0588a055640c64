"""Thirty draws of a ResNet-20 with an uncertain part: all at once, as they are asked by default, and one by one."""

from collections.abc import Callable
from functools import partial
from unittest.mock import patch

import torch
from torch import Tensor

import endd
from benchmarks.timing import milliseconds, ratio, take_turns, write
from endd.nn import ResNet, Variational
from endd.posteriors import DropoutSampler, Sampler, SVISampler

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
DEPTH, DRAWS, ROWS = (20, 30, 4096) if GPU else (8, 4, 16)
FAMILY = endd.families.Categorical(10)
PLACE = "endd.posteriors.sampler"


def main() -> None:
    torch.manual_seed(0)
    x = torch.randint(0, 256, (ROWS, 3, 32, 32), dtype=torch.uint8, device=DEVICE)
    made: dict[str, Callable[[], Sampler]] = {
        "dropout": lambda: DropoutSampler(ResNet(DEPTH, 10, dropout=0.05), FAMILY, DRAWS),
        "ll_dropout": lambda: DropoutSampler(ResNet(DEPTH, 10, head_dropout=0.3), FAMILY, DRAWS),
        "svi": lambda: SVISampler(Variational(ResNet(DEPTH, 10)), FAMILY, DRAWS),
        "ll_svi": lambda: SVISampler(Variational(ResNet(DEPTH, 10), last_only=True), FAMILY, DRAWS),
    }
    write("draws" if GPU else "draws_cpu", [_row(name, make().to(DEVICE).eval(), x) for name, make in made.items()])


def _row(name: str, sampler: Sampler, x: Tensor) -> dict[str, object]:
    ways = {
        "as it is": {},
        "one by one": {"worth_sharing": False},
        "vmap": {"worth_sharing": True, "worth_grouping": False},
    }
    work = {way: partial(_ask, sampler, x, choices) for way, choices in ways.items()}
    times = take_turns(work, rounds=4)
    return {
        "what": f"{DRAWS} draws of {name}, {ROWS} images",
        "one by one / as it is": round(ratio(times, "one by one", "as it is"), 2),
        "vmap / as it is": round(ratio(times, "vmap", "as it is"), 2),
        "ms": milliseconds(times),
    }


@torch.no_grad()
def _ask(sampler: Sampler, x: Tensor, choices: dict[str, bool]) -> None:
    """In half precision on a GPU, as the study of images asks."""
    with torch.autocast(DEVICE, torch.float16, enabled=GPU):
        patches = [patch(f"{PLACE}.{name}", lambda net, tensors, say=say: say) for name, say in choices.items()]
        for one in patches:
            one.start()
        sampler(x)
        for one in patches:
            one.stop()
    if GPU:
        torch.cuda.synchronize()
