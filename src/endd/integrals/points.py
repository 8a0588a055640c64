"""The fallback: v becomes weighted atoms at fixed points, and sums do the rest."""

from typing import Any

from torch.distributions import Distribution

from endd._points import normal_line, sobol_normal
from endd.distributions import Atoms, Members, ModuloShift, Normal
from endd.families import Family
from endd.families.base import draw_fixed
from endd.integrals.base import Integrals, registry

# At 256 points the mutual information of ten classes is within 4 % for 19 inputs in 20, even where v's scales are 2,
# and unbiased; at 64 points it is 2.5 % low on average.
SOBOL_POINTS = 256
# One parameter: equally spaced points reach six standard deviations.
LINE_POINTS, REACH = 48, 6.0


def atoms_of(v: Distribution) -> tuple[Atoms, str]:
    """Atoms that stand for v, and how good they are."""
    if isinstance(v, Atoms):
        return v, "exact"
    if isinstance(v, Normal | ModuloShift):
        mean = v.mean
        if v.event_shape[0] == 1:
            line = normal_line(LINE_POINTS, REACH, mean.dtype, mean.device)
            away = line.points.reshape(-1, *[1] * mean.ndim) * v.variance.sqrt()
            return Members(mean + away, line.weights, validate_args=False), "quadrature"
        points = sobol_normal(SOBOL_POINTS, v.noise_size, mean.dtype, mean.device)
        return Members(v.at_points(points)), "qmc"
    return Members(draw_fixed(v, SOBOL_POINTS)), "sampled"


@registry.register(Family, Distribution)
def by_points(family: Any, v: Any) -> Integrals:
    """Serves every valid pair that has no rule of its own."""
    atoms, method = atoms_of(v)
    rule: Any = registry.find(type(family), type(atoms))
    summed: Integrals = rule(family, atoms, method)
    return summed
