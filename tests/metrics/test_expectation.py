"""Rules for E_p: the weights sum to 1 and the moments come out right."""

import pytest
import torch
from torch.distributions import (
    Categorical,
    Gamma,
    Laplace,
    MixtureSameFamily,
    NegativeBinomial,
    Normal,
    Poisson,
)

from endd.metrics import _expectation as module
from endd.metrics._expectation import log_density, points, support

W = torch.tensor([[0.2, 0.8], [0.2, 0.8]])
M, S = torch.tensor([[0.0, 5.0], [1.0, 1.0]]), torch.tensor([[1.0, 0.1], [0.5, 2.0]])
RULES = {
    "components": (MixtureSameFamily(Categorical(W), Normal(M, S)), 2 * 129, 1e-5),
    "counts": (Poisson(torch.tensor([0.5, 20.0])), 105, 1e-5),
    "mixed counts": (MixtureSameFamily(Categorical(W), Poisson(M + 1)), 72, 1e-5),
    "overdispersed": (NegativeBinomial(torch.tensor([2.0, 3.0]), torch.tensor([0.3, 0.6])), 76, 1e-4),
    "quantiles": (Laplace(torch.zeros(2), torch.ones(2)), 129, 1e-2),
    "many counts": (Poisson(torch.tensor([9e3, 1e4])), 2048, 0.05),
    "draws": (Gamma(torch.tensor([2.0, 3.0]), torch.ones(2)), 2048, 0.1),
}


def moments(p) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, int]:
    pieces = list(points(p))
    count = sum(len(y) for _, y in pieces)
    total, first = sum((w + 0 * y).sum(0) for w, y in pieces), sum((w * y).sum(0) for w, y in pieces)
    second = sum((w * (y - p.mean) ** 2).sum(0) for w, y in pieces)
    return total.double(), first.double(), second.double(), count


@pytest.mark.parametrize("name", RULES)
def test_moments(name):
    p, count, tolerance = RULES[name]
    total, first, second, used = moments(p)
    assert used == count
    torch.testing.assert_close(total, torch.ones(2, dtype=torch.float64), rtol=0, atol=1e-4)
    torch.testing.assert_close(first, p.mean.double(), rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(second, p.variance.double(), rtol=2 * tolerance, atol=tolerance)


@pytest.mark.parametrize("name", RULES)
def test_in_pieces(name, monkeypatch):
    p = RULES[name][0]
    whole = moments(p)
    monkeypatch.setattr(module, "_CHUNK", 20)
    for a, b in zip(moments(p)[:3], whole[:3], strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)


def test_support_looks_through_a_mixture():
    assert support(RULES["mixed counts"][0]) is Poisson.support
    assert support(Normal(0.0, 1.0)) is Normal.support


@pytest.mark.parametrize("name", RULES)
def test_log_density_is_that_of_torch(name):
    p = RULES[name][0]
    y = p.sample((7,)).double()
    torch.testing.assert_close(log_density(p)(y), p.log_prob(y).double(), rtol=1e-5, atol=1e-5)


def test_log_density_far_away_stays_finite():
    p = RULES["components"][0]
    far = torch.full((1, 2), 1e6, dtype=torch.float64)
    torch.testing.assert_close(log_density(p)(far), p.log_prob(far), rtol=1e-5, atol=0)


class Coarse(Laplace):
    """Its quantiles round the level to float32."""

    def icdf(self, value: torch.Tensor) -> torch.Tensor:
        return super().icdf(value.float())


def test_nodes_at_infinity_count_for_nothing():
    p = Coarse(torch.zeros(2), torch.ones(2))
    assert p.icdf(torch.tensor(1 - 1e-9, dtype=torch.float64)).isinf().all()
    total, first, _, _ = moments(p)
    torch.testing.assert_close(total, torch.ones(2, dtype=torch.float64), rtol=0, atol=1e-6)
    torch.testing.assert_close(first, torch.zeros(2, dtype=torch.float64), rtol=0, atol=1e-4)
