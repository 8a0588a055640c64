"""The Gaussian with a normal v: what is tied together and what lies far out."""

import torch

import endd
from endd.families import Gaussian
from endd.integrals import integrals_of

F64 = torch.float64


def test_mean_and_variance_that_move_together() -> None:
    """m = s exactly: given s nothing is left of m, and the marginal is the mixture over s alone."""
    v = endd.LowRankNormal(
        torch.zeros(1, 2, dtype=F64), torch.ones(1, 2, 1, dtype=F64), torch.full((1, 2), 1e-16, dtype=F64)
    )
    rules = integrals_of(Gaussian(), v)
    s = torch.linspace(-8, 8, 20001, dtype=F64)
    weights = torch.softmax(-s.square() / 2, 0)
    q = torch.distributions.Normal(s, (torch.nn.functional.softplus(s) + 1e-6).sqrt())
    y = torch.tensor([0.7], dtype=F64)
    torch.testing.assert_close(
        rules.marginal().log_prob(y), (weights * q.log_prob(y).exp()).sum().log().reshape(1), rtol=0, atol=2e-3
    )
    torch.testing.assert_close(rules.variance_of_mean().value, torch.ones(1, dtype=F64))


def test_all_normals_agree_when_they_are_the_same() -> None:
    loc, scale = torch.randn(5, 2, dtype=F64), torch.rand(5, 2, dtype=F64) + 0.1
    same = [
        endd.DiagonalNormal(loc, scale),
        endd.FullNormal(loc, torch.diag_embed(scale)),
        endd.LowRankNormal(loc, torch.zeros(5, 2, 1, dtype=F64), scale.square()),
    ]
    for name in ("expected_variance", "variance_of_mean", "information", "expected_pairwise_kl", "expected_entropy"):
        values = [getattr(integrals_of(Gaussian(), v), name)().value for v in same]
        torch.testing.assert_close(values[1], values[0])
        torch.testing.assert_close(values[2], values[0])
