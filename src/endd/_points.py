"""Fixed points that stand for a distribution: the same ones in every call, so that results repeat.

They are made once per size, precision and device and never touch the global random generator.
"""

from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor


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
    with torch.inference_mode(False):
        points = torch.linspace(-reach, reach, count, dtype=torch.float64)
        weights = torch.softmax(-points.square() / 2, 0)
        return Points(points.to(device, dtype), weights.to(device, dtype))


@lru_cache(maxsize=64)
def sobol_uniform(count: int, size: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """`count` scrambled Sobol points in the open unit cube, shape (count, size)."""
    with torch.inference_mode(False):
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
    with torch.inference_mode(False):
        points: Tensor = torch.special.ndtri(sobol_uniform(count, size, torch.float64, torch.device("cpu")))
        points = points - points.mean(0)
        points = points / points.square().mean(0).sqrt()
        return points.to(device, dtype)
