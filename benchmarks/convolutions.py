"""Convolutions of residual networks side by side on a GPU: how many networks go into one group.

Needs a GPU; elsewhere sizes are tiny and the ratios mean nothing.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from benchmarks.timing import milliseconds, take_turns, write
from endd.nn.grouped import merged_convolution

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
# Channels and pixels of the stages of a ResNet-20.
STAGES = ((16, 32), (32, 16), (64, 8))
TRACKS = (10, 18)
LARGEST = 10
TRAINED, ASKED = (128, 1024) if GPU else (2, 2)


def main() -> None:
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    write("convolutions" if GPU else "convolutions_cpu", [_row(j, *stage) for j in TRACKS for stage in STAGES])


def _row(tracks: int, channels: int, pixels: int) -> dict[str, object]:
    """Milliseconds of a step of training and of an answer, by the number of networks in a group."""
    sizes = [size for size in range(1, LARGEST + 1) if tracks % size == 0]
    weight = torch.randn(tracks, channels, channels, 3, 3, device=DEVICE, requires_grad=True)
    work: dict[str, Callable[[], object]] = {}
    for name, rows, run in (("training", TRAINED, _step), ("answering", ASKED, _answer)):
        h = torch.randn(rows, tracks * channels, pixels, pixels, device=DEVICE, dtype=torch.bfloat16)
        h = h.contiguous(memory_format=torch.channels_last)
        work |= {f"{name}, {size}": partial(run, h, weight, size) for size in sizes}
    times = milliseconds(take_turns(work, rounds=10 if GPU else 2, repeat=5))
    return {"what": f"{tracks} networks, {channels} channels, {pixels} x {pixels}", "ms": times}


def _step(h: Tensor, weight: Tensor, together: int) -> None:
    h, weight = h.detach().requires_grad_(), weight.detach().requires_grad_()
    merged_convolution(h, weight.bfloat16(), 1, together).sum().backward()
    _wait()


@torch.no_grad()
def _answer(h: Tensor, weight: Tensor, together: int) -> None:
    merged_convolution(h, weight.bfloat16(), 1, together)
    _wait()


def _wait() -> None:
    if GPU:
        torch.cuda.synchronize()
