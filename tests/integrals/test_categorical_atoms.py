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


def test_a_class_that_a_member_rules_out() -> None:
    z = torch.randn(3, 2, 3, generator=torch.Generator().manual_seed(0))
    z[0, :, 0] = -torch.inf
    probs, weights = z.double().softmax(-1), torch.full((3,), 1 / 3).double()
    mixture = torch.einsum("m,mbk->bk", weights, probs)
    expected = torch.special.entr(probs).sum(-1).mean(0)
    split = endd.decompose(endd.families.Categorical(3), endd.Members(z), "entropy")
    torch.testing.assert_close(split.aleatoric.double(), expected, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(split.total.double(), torch.special.entr(mixture).sum(-1), rtol=1e-5, atol=1e-6)
    pairs = endd.decompose(endd.families.Categorical(3), endd.Members(z), "pairwise_kl")
    assert pairs.epistemic.tolist() == [torch.inf, torch.inf]
    z[:, :, 0] = -torch.inf  # all of them do
    for measure in ("entropy", "pairwise_kl"):
        two = endd.decompose(endd.families.Categorical(2), endd.Members(z[..., 1:]), measure)
        three = endd.decompose(endd.families.Categorical(3), endd.Members(z), measure)
        torch.testing.assert_close(three.epistemic, two.epistemic)


def test_a_member_without_weight_says_nothing() -> None:
    z = torch.randn(3, 2, 3)
    z[2] = torch.inf
    found = endd.Prediction(endd.families.Categorical(3), endd.Members(z, torch.tensor([0.5, 0.5, 0.0])))
    alone = endd.Prediction(endd.families.Categorical(3), endd.Members(z[:2]))
    torch.testing.assert_close(found.probs, alone.probs)
    torch.testing.assert_close(found.epistemic, alone.epistemic)
