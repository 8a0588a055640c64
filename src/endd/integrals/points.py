"""The fallback: v becomes weighted atoms at fixed points, and sums do the rest."""

from typing import Any

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._points import draw_fixed, normal_line, sobol_normal
from endd.distributions import Atoms, Members, ModuloShift, Normal
from endd.families import Family
from endd.integrals.base import Integrals, registry

# At 256 points the mutual information of ten classes is within 4 % for 19 inputs in 20, even where v's scales are 2,
# and unbiased; at 64 points it is 2.5 % low on average.
SOBOL_POINTS = 256
# One number: equally spaced points reach six standard deviations. So many are exact to three digits where that of a
# logit is 20, and fewer than the least miss where the weight is.
LINE_POINTS, LEAST_LINE_POINTS, REACH = 96, 16, 6.0


def atoms_of(v: Distribution, points: int = SOBOL_POINTS) -> tuple[Atoms, str]:
    """Atoms that stand for v, and how good they are; points: how many at most."""
    if isinstance(v, Atoms):
        return v, "exact"
    if isinstance(v, Normal | ModuloShift):
        mean, line = v.mean, _line(v)
        if line is not None:
            known = normal_line(min(max(points, LEAST_LINE_POINTS), LINE_POINTS), REACH, mean.dtype, mean.device)
            away = known.points.reshape(-1, *[1] * mean.ndim) * line
            return Members(mean + away, known.weights, validate_args=False), "quadrature"
        return Members(v.at_points(sobol_normal(points, v.noise_size, mean.dtype, mean.device))), "qmc"
    return Members(draw_fixed(v, points)), "sampled"


def _line(v: Normal | ModuloShift) -> Tensor | None:
    """The deviation of z, (*batch, P), where one number of it counts: of two logits their difference does."""
    if v.event_shape[0] == 1:
        return v.variance.sqrt()
    if not (isinstance(v, ModuloShift) and v.event_shape[0] == 2):
        return None
    first, second = v.base.rows().unbind(-2)
    half = torch.linalg.vector_norm(first - second, dim=-1) / 2
    return torch.stack([half, -half], -1)


@registry.register(Family, Distribution)
def by_points(family: Any, v: Any) -> Integrals:
    """Serves every valid pair that has no rule of its own."""
    atoms, method = atoms_of(v)
    rule: Any = registry.find(type(family), type(atoms))
    summed: Integrals = rule(family, atoms, method)
    return summed
