"""Quantiles of mixtures of normals, against their cdf."""

import math

import pytest
import torch
from torch import Tensor
from torch.distributions import Categorical, MixtureSameFamily, Normal

from endd.families import Gaussian
from endd.integrals.marginals import Mixture
from endd.integrals.quantiles import normal_mixture_quantile

B, C = 300, 48
LEVELS = torch.tensor([1e-9, 1e-3, 0.025, 0.3, 0.5, 0.7, 0.975, 1 - 1e-9], dtype=torch.float64)


def mixture(spread: float, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Weights, means and deviations, the latter over several powers of ten."""
    random = torch.Generator().manual_seed(seed)
    weights = torch.rand(C, generator=random).double().softmax(0)
    loc = torch.randn(B, C, generator=random).double()
    return weights, loc, (spread * torch.randn(B, C, generator=random).double()).exp()


@pytest.mark.parametrize("spread", [0.0, 0.5, 1.5])
def test_the_cdf_reaches_the_level(spread: float) -> None:
    weights, loc, scale = mixture(spread)
    level = LEVELS.unsqueeze(-1).expand(-1, B)
    y = normal_mixture_quantile(level, weights, loc, scale)
    q = MixtureSameFamily(Categorical(weights.expand(B, C)), Normal(loc, scale))
    torch.testing.assert_close(q.cdf(y), level, rtol=1e-10, atol=1e-12)
    # small levels to their own digits, and upper ones as the lower ones of -y
    below = (torch.erfc((loc - y[0].unsqueeze(-1)) / scale / math.sqrt(2)) @ weights) / 2
    torch.testing.assert_close(below, level[0], rtol=1e-8, atol=0)
    mirrored = normal_mixture_quantile(1 - level, weights, -loc, scale)
    torch.testing.assert_close(mirrored, -y, rtol=1e-6, atol=1e-6)


def test_one_normal_is_exact() -> None:
    loc, scale = torch.randn(5, 1).double(), torch.rand(5, 1).double() + 0.1
    level = LEVELS.unsqueeze(-1).expand(-1, 5)
    y = normal_mixture_quantile(level, torch.ones(1).double(), loc, scale)
    torch.testing.assert_close(y, Normal(loc.squeeze(-1), scale.squeeze(-1)).icdf(level), rtol=1e-7, atol=1e-7)


def test_single_precision_agrees_with_double() -> None:
    weights, loc, scale = mixture(0.5)
    level = torch.tensor([[0.025], [0.975]]).expand(-1, B)
    exact = normal_mixture_quantile(level.double(), weights, loc, scale)
    rough = normal_mixture_quantile(level, weights.float(), loc.float(), scale.float())
    assert float((rough - exact).abs().max()) < 2e-5


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_spikes_far_apart(dtype: torch.dtype) -> None:
    """Between them the cdf is flat and the density 0: no Newton step leads anywhere."""
    weights, loc = torch.tensor([0.5, 0.5], dtype=dtype), torch.tensor([[-1e3, 1e3]], dtype=dtype)
    level = torch.tensor([[0.25], [0.75]], dtype=dtype)
    y = normal_mixture_quantile(level, weights, loc, torch.full((1, 2), 1e-3, dtype=dtype))
    torch.testing.assert_close(y, torch.tensor([[-1e3], [1e3]], dtype=dtype), rtol=1e-6, atol=0)


def test_the_ends_are_infinite() -> None:
    q = Mixture(Gaussian(), torch.tensor([1.0]), Normal(torch.zeros(1, 1), torch.ones(1, 1)), "exact")
    assert q.icdf(torch.tensor([[0.0], [1.0]])).flatten().tolist() == [-math.inf, math.inf]


def test_batches_of_any_shape() -> None:
    weights, loc, scale = mixture(0.5)
    loc, scale = loc[:6].reshape(2, 3, C), scale[:6].reshape(2, 3, C)
    level = torch.tensor([0.1, 0.9]).double().reshape(2, 1, 1).expand(2, 2, 3)
    y = normal_mixture_quantile(level, weights, loc, scale)
    flat = normal_mixture_quantile(level.reshape(2, 6), weights, loc.reshape(6, C), scale.reshape(6, C))
    assert torch.equal(y.reshape(2, 6), flat)


class Quantiles(torch.nn.Module):
    """As a module to export."""

    def forward(self, weights: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        level = torch.tensor([[0.025], [0.5], [0.975]], dtype=loc.dtype).expand(-1, loc.shape[0])
        return normal_mixture_quantile(level, weights, loc, scale)


def test_a_graph_finds_the_same() -> None:
    """Mixtures of any shape, spikes far apart and a single normal, all with one program."""
    cases = [mixture(spread) for spread in (0.5, 0.0, 1.5)]
    weights, loc, _ = cases[0]
    spikes = torch.where(torch.arange(C) < C // 3, -1e3, 1e3).double().expand(B, C)
    cases += [(weights, spikes, torch.full_like(loc, 1e-3)), (weights, torch.zeros_like(loc), torch.ones_like(loc))]
    program = torch.export.export(Quantiles(), cases[0]).module()
    for case in cases:
        torch.testing.assert_close(program(*case), Quantiles()(*case), rtol=1e-6, atol=1e-6)
