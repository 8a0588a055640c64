"""A density integrates to 1 over what it is a density on, and sampling agrees with its moments."""

from collections.abc import Callable

import pytest
import torch
from torch.distributions import Distribution

from tests.laws.table import DISTRIBUTIONS, F64

DENSITIES = [name for name, row in DISTRIBUTIONS.items() if row.integrates_over]


def _grid(size: int, reach: float) -> tuple[torch.Tensor, float]:
    line = torch.linspace(-reach, reach, size, dtype=F64)
    return torch.cartesian_prod(line, line), float(line[1] - line[0]) ** 2


def _integral(v: Distribution, over: str) -> torch.Tensor:
    """The integral of the density over two free numbers."""
    grid, cell = _grid(700, 14.0)
    if over == "space":
        return v.log_prob(grid).exp().sum() * cell
    z = torch.cat([grid, torch.zeros(len(grid), 1, dtype=F64)], -1)
    log_prob = v.log_prob(z)
    if over == "simplex":
        # from p to logits against the last class: dp = p_1 p_2 p_3 dz
        log_prob = log_prob + z.log_softmax(-1).sum(-1)
    return log_prob.exp().sum() * cell


@pytest.mark.parametrize("name", DENSITIES)
def test_density_integrates_to_one(name: str) -> None:
    row = DISTRIBUTIONS[name]
    assert row.integrates_over is not None
    scale = 0.3 if row.integrates_over == "simplex" else 0.9
    v = row.make((), 2 if row.integrates_over == "space" else 3, scale)
    assert float(_integral(v, row.integrates_over)) == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_sample_moments_agree_with_mean_and_variance(name: str) -> None:
    v = DISTRIBUTIONS[name].make((2,), 3, 0.7)
    z = v.sample(torch.Size([200_000]))
    error = (z.var(0) / len(z)).sqrt() + 1e-12
    assert bool(((z.mean(0) - v.mean).abs() <= 5 * error).all())
    fourth = ((z - v.mean) ** 4).mean(0)
    error = (fourth / len(z)).sqrt() + 1e-12
    assert bool(((z.var(0) - v.variance).abs() <= 5 * error).all())


@pytest.mark.parametrize("name", DENSITIES)
@pytest.mark.parametrize(
    "use", [lambda v: v.log_prob(torch.ones(10, 3, 4, dtype=F64)), lambda v: v.rsample((10,)) ** 2]
)
def test_gradients_reach_every_raw_output(name: str, use: Callable[[Distribution], torch.Tensor]) -> None:
    form = DISTRIBUTIONS[name].form
    assert form is not None
    raw = torch.randn(3, form.raw_size(4), dtype=F64, requires_grad=True)
    use(form.from_raw(raw)).sum().backward()
    assert raw.grad is not None
    assert bool(raw.grad.isfinite().all())
    assert bool((raw.grad != 0).all())
