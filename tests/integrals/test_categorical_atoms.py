"""Class distributions against the plain loop over members."""

import torch
from torch.distributions import Categorical, kl_divergence

import endd
from endd.integrals import integrals_of


def test_everything_equals_the_plain_loop() -> None:
    z = torch.randn(4, 3, 5, dtype=torch.float64)
    members = [Categorical(logits=one) for one in z]
    mean = Categorical(probs=torch.stack([q.probs for q in members]).mean(0))
    rules = integrals_of(endd.families.Categorical(5), endd.Members(z))
    torch.testing.assert_close(rules.probabilities(), mean.probs)
    torch.testing.assert_close(rules.information().value, sum(kl_divergence(q, mean) for q in members) / 4)
    torch.testing.assert_close(rules.expected_entropy().value, sum(q.entropy() for q in members) / 4)
    pairs = sum(kl_divergence(p, q) for p in members for q in members) / 16
    torch.testing.assert_close(rules.expected_pairwise_kl().value, pairs)
    y = torch.tensor([0, 4, 2])
    torch.testing.assert_close(rules.expected_log_prob(y).value, sum(q.log_prob(y) for q in members) / 4)


def test_probabilities_are_those_of_the_marginal() -> None:
    v = endd.ModuloShift(endd.LowRankNormal.from_raw(10 * torch.randn(7, 60), rank=4))
    rules = integrals_of(endd.families.Categorical(10), v)
    torch.testing.assert_close(rules.probabilities(), rules.marginal().probs, rtol=1e-5, atol=1e-7)
