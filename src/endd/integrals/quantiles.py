"""Quantiles of a mixture of normals, for many rows at once.

With g(y) = Phi^-1(F(y)) the equation F(y) = p reads g(y) = Phi^-1(p). For one normal g is a line, for a mixture it is
nearly one, so that a Newton step y - (g(y) - Phi^-1(p)) / g'(y), with g' = f / phi(g), gains far more digits than one
on F itself: from the quantile of the normal with the same moments two or three steps do. An upper quantile is the lower
one of -y, whose tail keeps its digits. An exported graph takes the same steps in a loop of its own.
"""

import math
from typing import Any, cast

import torch
from torch import Tensor
from torch._higher_order_ops.while_loop import while_loop_op

from endd._elementary import elementary_erfc, exporting, rough_normal_quantile, weigh

# Rounds for all rows, and then for those few that are not there yet: each halves their bracket at least every third
# time, and that of float64 has no more halves than this.
ROUNDS, MORE_ROUNDS = 2, 200
# A step from so close, in standard deviations of a normal, lands within its square.
CLOSE = {torch.float32: 1e-3, torch.float64: 1e-6}
# In units of the last place, what g(t) may be off by.
NOISE = 4
# In a graph, which computes in float64, Phi^-1 is so rough: its steps gain three digits each.
ROUGHNESS, EXPORTED_CLOSE = 1e-3, 1e-5


def normal_mixture_quantile(level: Tensor, weights: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
    """Where the cdf of sum_c w_c N(loc_c, scale_c^2) reaches `level`.

    Shapes: level (*levels, *batch), weights (C,), loc and scale (*batch, C) -> that of level.
    """
    mean = weigh(loc, weights)
    away = loc - mean.unsqueeze(-1)
    deviation = weigh(scale.square() + away.square(), weights).sqrt()
    # in units of the mixture's deviation: the argument of a component's cdf at t is start + slope * t
    C = loc.shape[-1]
    start, slope = (-away / scale).reshape(-1, C), (deviation.unsqueeze(-1) / scale).reshape(-1, C)
    rows = level.reshape(-1, start.shape[0])
    if exporting():
        t = _solve_in_graph(rows.double(), weights.double(), start.double(), slope.double()).to(loc.dtype)
    else:
        t = torch.stack([_solve(row, weights, start, slope) for row in rows])
    return mean + deviation * t.reshape(level.shape)


def _solve(level: Tensor, weights: Tensor, start: Tensor, slope: Tensor) -> Tensor:
    """One level a row, (B,), with components (B, C)."""
    # in the precision of the level, of which an upper one would lose its distance from 1
    goal = torch.special.ndtri(torch.minimum(level, 1 - level)).to(start.dtype)
    sign = torch.where(level > 0.5, -1.0, 1.0).to(goal)
    start = sign.unsqueeze(-1) * start
    t = goal
    for _ in range(ROUNDS):
        moved, gap = _step(t, goal, weights, start, slope)
        # a gap that is mere rounding would move t by as much
        t = torch.where(gap.abs() > NOISE * torch.finfo(t.dtype).eps, moved, t)
    # at level 0 and 1 there is nothing to find
    left = (~(gap.abs() < CLOSE[t.dtype]) & goal.isfinite()).nonzero().squeeze(-1)
    if len(left):
        t[left] = _bracketed(t[left], goal[left], weights, start[left], slope[left])
    return sign * torch.where(goal.isfinite(), t, goal)


def _bracketed(t: Tensor, goal: Tensor, weights: Tensor, start: Tensor, slope: Tensor) -> Tensor:
    """The same for rows of any shape: between the components' own quantiles, by halves where a step leads astray."""
    ends = (goal.unsqueeze(-1) - start) / slope
    low, high = ends.amin(-1), ends.amax(-1)
    t = torch.where((t > low) & (t < high), t, (low + high) / 2)
    left = torch.arange(len(t), device=t.device)
    for number in range(MORE_ROUNDS):
        at = t[left]
        moved, gap = _step(at, goal[left], weights, start[left], slope[left])
        low[left], high[left] = torch.where(gap < 0, at, low[left]), torch.where(gap < 0, high[left], at)
        inside = (moved >= low[left]) & (moved <= high[left])
        settled = inside & (gap.abs() < CLOSE[t.dtype])
        halved = (low[left] + high[left]) / 2
        t[left] = torch.where(settled | (inside & (number % 3 != 2)), moved, halved)
        # nothing lies between the ends of the bracket any more
        left = left[~(settled | (halved <= low[left]) | (halved >= high[left]))]
        if not len(left):
            break
    return t


def _step(t: Tensor, goal: Tensor, weights: Tensor, start: Tensor, slope: Tensor) -> tuple[Tensor, Tensor]:
    """A Newton step, and g(t) - goal before it."""
    z = torch.addcmul(start, t.unsqueeze(-1), slope)
    below = torch.erfc_(z * -math.sqrt(0.5)) @ weights / 2
    density = z.square_().mul_(-0.5).exp_().mul_(slope) @ weights
    g = torch.special.ndtri(below)
    gap = g - goal
    return t - gap * (g.square() * -0.5).exp() / density, gap


def _solve_in_graph(level: Tensor, weights: Tensor, start: Tensor, slope: Tensor) -> Tensor:
    """The same for levels (L, B) strictly between 0 and 1 by elementary operations: bracketed steps for all rows."""
    goal = rough_normal_quantile(torch.minimum(level, 1 - level))
    sign = torch.where(level > 0.5, -1.0, 1.0).to(goal)
    start = sign.unsqueeze(-1) * start
    # Phi^-1 is as rough here as in the steps, and so the root is the true one; only the bracket must be wider
    low = ((goal - ROUGHNESS).unsqueeze(-1) - start).div(slope).amin(-1)
    high = ((goal + ROUGHNESS).unsqueeze(-1) - start).div(slope).amax(-1)
    t = torch.where((goal > low) & (goal < high), goal, (low + high) / 2)
    state = (torch.zeros((), dtype=torch.int64), t, low, high, torch.ones((), dtype=torch.bool))
    # the operation itself: torch's wrapper would compile both functions first, which takes seconds
    found: Any = while_loop_op(_going, _round, state, (goal, weights, start, slope))  # type: ignore[arg-type]
    return sign * cast(Tensor, found[1])


def _going(number: Tensor, t: Tensor, low: Tensor, high: Tensor, left: Tensor, *_: Tensor) -> Tensor:
    return (number < MORE_ROUNDS) & left


def _round(number: Tensor, t: Tensor, low: Tensor, high: Tensor, left: Tensor, *mixture: Tensor) -> tuple[Tensor, ...]:
    """One bracketed step of all rows; mixture: goal, weights, start and slope."""
    moved, gap = _step_in_graph(t, *mixture)
    low, high = torch.where(gap < 0, t, low), torch.where(gap < 0, high, t)
    halved = (low + high) / 2
    inside = (moved >= low) & (moved <= high)
    settled = inside & (gap.abs() < EXPORTED_CLOSE)
    t = torch.where(settled | (inside & (number % 3 != 2)), moved, halved)
    return number + 1, t, low, high, (~settled & (halved > low) & (halved < high)).any()


def _step_in_graph(t: Tensor, goal: Tensor, weights: Tensor, start: Tensor, slope: Tensor) -> tuple[Tensor, Tensor]:
    """`_step` by elementary operations."""
    x = (start + t.unsqueeze(-1) * slope) * -math.sqrt(0.5)
    gauss = (-x.square()).exp()
    g = rough_normal_quantile(weigh(elementary_erfc(x, gauss), weights) / 2)
    gap = g - goal
    return t - gap * (g.square() * -0.5).exp() / weigh(gauss * slope, weights), gap
