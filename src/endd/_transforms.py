"""Stable maps between a network's unconstrained numbers and constrained parameters."""

from functools import lru_cache

import torch
from torch import Tensor
from torch.nn import functional

from endd._elementary import expm1, exporting, softplus
from endd._points import constants

# Rows shorter than one vector of float32, of which torch's log_softmax takes one number at a time.
SHORT_ROW = 16
# From so many rows on that costs more than the few operations in its place.
MANY_ROWS = 128


def wide_dtype(x: Tensor) -> torch.dtype:
    """The precision in which log-densities are summed: float64, but for devices that have none.

    A density at scale 1e-12 or concentration 1e8 is a small difference of large numbers; float32 loses it.
    """
    return x.dtype if x.device.type == "mps" else torch.float64


def softplus_inverse(x: Tensor) -> Tensor:
    """The raw number whose softplus is x > 0: x + log(1 - exp(-x)), without overflow or cancellation."""
    x = x.clamp(min=torch.finfo(x.dtype).tiny)
    return x + torch.log(-torch.expm1(-x))


def smooth_clamp(x: Tensor, low: float, high: float) -> Tensor:
    """x between `low` and `high`, bent smoothly at both ends so that a gradient is left a while outside.

    The upper end is exceeded by at most exp(low - high).
    """
    bounded = high - softplus(high - x)
    return low + softplus(bounded - low)


def tril_size(size: int) -> int:
    """How many numbers a lower triangular size x size matrix has."""
    return size * (size + 1) // 2


def tril_from_raw(raw: Tensor, size: int, min_scale: float) -> Tensor:
    """A Cholesky factor (..., size, size) from raw numbers: first the diagonal, then the rest row by row."""
    diagonal, rest = raw.split_with_sizes([size, raw.shape[-1] - size], -1)
    # contiguous first: elementwise functions are many times slower on a strided slice
    diagonal = softplus(diagonal.contiguous()) + min_scale
    entries = functional.pad(torch.cat([diagonal, rest], -1), (0, 1))
    matrix: Tensor = entries.index_select(-1, _tril_places(size, raw.device)).unflatten(-1, (size, size))
    return matrix


@lru_cache(maxsize=64)
def _tril_places(size: int, device: torch.device) -> Tensor:
    """For each entry of the matrix, where it stands among (diagonal, lower triangle, a zero)."""
    with constants():
        places = torch.full((size, size), tril_size(size))
        places.diagonal().copy_(torch.arange(size))
        rows, columns = torch.tril_indices(size, size, -1)
        places[rows, columns] = torch.arange(size, tril_size(size))
        return places.flatten().to(device)


def log_softmax(x: Tensor) -> Tensor:
    """log softmax over the last axis of x (..., K), many times as fast as torch's own for many short rows.

    On a CPU, and then with the classes outermost in memory: what is made of it entry by entry keeps that, so that sums
    over classes run along whole vectors too.
    """
    K = x.shape[-1]
    if exporting() or x.device.type != "cpu" or K >= SHORT_ROW or x.numel() < K * MANY_ROWS:
        return x.log_softmax(-1)
    return x.movedim(-1, 0).contiguous().log_softmax(0).movedim(0, -1)


def log_weights(weights: Tensor) -> Tensor:
    """log w, finite also where a weight is 0."""
    return weights.clamp(min=torch.finfo(weights.dtype).tiny).log()


def deviations(values: Tensor, weights: Tensor) -> Tensor:
    """values (M, ...) less their weighted average.

    Centred twice: weights that add up to 1 only in exact arithmetic leave a trace of the values themselves after the
    first pass, and next to nothing after the second.
    """
    away = values - torch.einsum("m,m...->...", weights, values)
    return away - torch.einsum("m,m...->...", weights, away)


def entropy_terms(log_p: Tensor) -> Tensor:
    """-p log p entry by entry, 0 where p is."""
    return -log_p.exp() * log_p.clamp(min=torch.finfo(log_p.dtype).min)


def kl_terms(log_p: Tensor, log_q: Tensor) -> Tensor:
    """p log(p / q) - p + q entry by entry: never negative, and their sum is KL(p || q) when both sum to 1.

    Near p = q it is p (d + exp(-d) - 1) with d = log p - log q, which does not cancel.
    """
    p = log_p.exp()
    d = torch.where(p > 0, log_p - log_q, -2.0)  # 0 log 0 = 0, where both may be -inf
    small = d.clamp(-1, 1)  # what `where` throws away must not overflow: its gradient would be NaN
    near = p * (small + expm1(-small))
    far = p * d - p + log_q.exp()
    return torch.where(d == small, near, far).clamp(min=0)
