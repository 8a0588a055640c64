"""Fixed points that stand for a distribution: the same ones in every call, so that results repeat.

They are made once per size, precision and device and never touch the global random generator.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import torch
from torch import Tensor
from torch.distributions import Distribution
from torch.utils._python_dispatch import _disable_current_modes

# Distributions draw from the global generators, which two threads must not borrow at once.
_drawing = Lock()


@contextmanager
def constants() -> Iterator[None]:
    """Inside, real tensors are made that any later call may use.

    What is remembered must be no inference tensor, which autograd refuses, and no stand-in of torch.export, which
    would outlive its export.
    """
    with torch.inference_mode(False), _disable_current_modes():
        yield


def draw_fixed(q: Distribution, count: int) -> Tensor:
    """`count` draws from q with a fixed seed that leaves the global generators as they were."""
    on_gpu = torch.cuda.is_available() and torch.cuda.is_initialized()
    shape = torch.Size([count])
    with _drawing, torch.random.fork_rng(devices=range(torch.cuda.device_count()) if on_gpu else []):
        torch.default_generator.manual_seed(0)
        if on_gpu:
            torch.cuda.manual_seed_all(0)
        return q.rsample(shape) if q.has_rsample else q.sample(shape)


class Points(NamedTuple):
    """Points (N, ...) and their weights (N,), which sum to 1."""

    points: Tensor
    weights: Tensor


@lru_cache(maxsize=64)
def normal_line(count: int, reach: float, dtype: torch.dtype, device: torch.device) -> Points:
    """`count` equally spaced points on [-reach, reach] with standard normal weights.

    For smooth functions the trapezoidal rule under a normal weight converges geometrically, and unlike
    Gauss-Hermite points these stay dense where a softplus bends.
    """
    with constants():
        points = torch.linspace(-reach, reach, count, dtype=torch.float64)
        weights = torch.softmax(-points.square() / 2, 0)
        return Points(points.to(device, dtype), weights.to(device, dtype))


@lru_cache(maxsize=64)
def phased_lines(count: int, lines: int, reach: float, dtype: torch.dtype, device: torch.device) -> Points:
    """A line of `count` points for each of `lines` components, no two at the same places; points and weights (N, M).

    Components often share their mean. If all had a point there, the narrowest of them would be counted far too often:
    each line is shifted by a different part of a step instead, spread evenly by the golden ratio.
    """
    with constants():
        phase = torch.frac(torch.arange(1, lines + 1, dtype=torch.float64) * 0.6180339887498949)
        points = -reach + (torch.arange(count, dtype=torch.float64).unsqueeze(-1) + phase) * (2 * reach / count)
        weights = torch.softmax(-points.square() / 2, 0)
        return Points(points.to(device, dtype), weights.to(device, dtype))


@lru_cache(maxsize=64)
def sobol_uniform(count: int, size: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """`count` scrambled Sobol points in the open unit cube, shape (count, size)."""
    with constants():
        # of a handful of seeds, the one with the smallest bias in the mutual information of ten classes
        engine = torch.quasirandom.SobolEngine(size, scramble=True, seed=1)
        points = engine.draw(count, dtype=torch.float64)
        # Sobol points live on a grid with 0 in it; half a step keeps them off 0 and 1, where quantiles are infinite.
        return (points * (1 - 2**-30) + 2**-31).to(device, dtype)


@lru_cache(maxsize=64)
def sobol_normal(count: int, size: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """`count` Sobol points of a standard normal, centred and scaled to unit variance, shape (count, size).

    With the first two moments exact, averages of quadratics along each axis carry no error at all.
    """
    with constants():
        points: Tensor = torch.special.ndtri(sobol_uniform(count, size, torch.float64, torch.device("cpu")))
        points = points - points.mean(0)
        points = points / points.square().mean(0).sqrt()
        return points.to(device, dtype)
