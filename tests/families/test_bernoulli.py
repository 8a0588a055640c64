"""One binary label, or many that are independent given z."""

import numpy as np
import pytest
import torch
from scipy import special, stats

from endd.families import Bernoulli

NUM_LABELS = [None, 1, 3]


def logits(family):
    return 2 * torch.randn(5, 7, family.num_parameters, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def over_labels(family, values):
    return values[..., 0] if family.num_labels is None else values.sum(-1)


@pytest.fixture(params=NUM_LABELS)
def family(request):
    return Bernoulli(request.param)


def test_log_prob_as_scipy(family):
    z = logits(family)
    y = torch.randint(2, (7, family.num_parameters), generator=torch.Generator().manual_seed(3)).double()
    expected = over_labels(family, stats.bernoulli.logpmf(y.numpy(), special.expit(z.numpy())))
    y = y.squeeze(-1) if family.num_labels is None else y
    np.testing.assert_allclose(family(z).log_prob(y), expected, rtol=1e-8)


def test_moments_and_entropy_as_scipy(family):
    z = logits(family)
    expected = stats.bernoulli(special.expit(z.numpy()))
    shape = (5, 7, *family.event_shape)
    np.testing.assert_allclose(family.mean(z), expected.mean().reshape(shape), rtol=1e-10)
    np.testing.assert_allclose(family.variance(z), expected.var().reshape(shape), rtol=1e-10)
    np.testing.assert_allclose(family.entropy(z), over_labels(family, expected.entropy()), rtol=1e-8)


@pytest.mark.parametrize("logit", [-1e4, -100.0, 100.0, 1e4])
def test_sure_logits_have_finite_log_probabilities_and_no_entropy(logit):
    z = torch.tensor([[logit]])
    assert Bernoulli()(z).log_prob(torch.tensor([float(logit < 0)])).item() == -abs(logit)
    assert Bernoulli().entropy(z).item() == pytest.approx(0, abs=1e-30)


def test_pairwise_kl_is_the_double_loop(family, weights, loop_kl):
    z = logits(family)
    torch.testing.assert_close(family.pairwise_kl(z, weights), loop_kl(family, z, weights))


def test_few_labels_are_enumerated(family, weights):
    z = logits(family)
    y, chances, method = family.nodes(z, weights)
    assert method == "exact"
    assert y.shape == (2**family.num_parameters, 7, *family.event_shape)
    assert len({tuple(row.flatten().tolist()) for row in y[:, 0]}) == 2**family.num_parameters
    torch.testing.assert_close(chances.sum(0), torch.ones(7, dtype=torch.float64))
    spread = chances.reshape(*chances.shape, *[1] * len(family.event_shape))
    torch.testing.assert_close((spread * y).sum(0), torch.einsum("m,m...->...", weights, family.mean(z)))


def test_nodes_know_that_the_mixture_correlates_labels():
    z = torch.tensor([[[50.0, 50.0]], [[-50.0, -50.0]]])
    y, chances, _ = Bernoulli(2).nodes(z, torch.tensor([0.5, 0.5]))
    agree = y[..., 0] == y[..., 1]
    torch.testing.assert_close(chances[agree], torch.full((2,), 0.5))
    assert chances[~agree].max() < 1e-20


def test_many_labels_are_drawn_from_fixed_points(weights):
    family = Bernoulli(12)
    z = logits(family)
    y, chances, method = family.nodes(z, weights)
    assert method == "qmc"
    assert set(y.unique().tolist()) == {0.0, 1.0}
    torch.testing.assert_close(chances.sum(0), torch.ones_like(chances[0]))
    expected = torch.einsum("m,m...->...", weights, family.mean(z))
    torch.testing.assert_close((chances[..., None] * y).sum(0), expected, rtol=0, atol=0.05)
    assert torch.equal(y, family.nodes(z, weights).y)


def test_canonical_from_probabilities_and_back(family):
    probs = logits(family).sigmoid()
    torch.testing.assert_close(family.canonical(probs, "probs"), logits(family))


def test_canonical_keeps_logits(family):
    z = logits(family)
    assert family.canonical(z) is z
    assert family.canonical(z, "logits") is z


def test_canonical_of_certain_probabilities_is_finite():
    z = Bernoulli().canonical(torch.tensor([[0.0], [1.0]]), "probs")
    assert z.isfinite().all()
    torch.testing.assert_close(z.sigmoid(), torch.tensor([[0.0], [1.0]]), rtol=0, atol=1e-7)


@pytest.mark.parametrize("prob", [-0.1, 1.1, float("nan")])
def test_canonical_refuses_what_are_no_probabilities(prob):
    with pytest.raises(ValueError, match=r"from 0 to 1.* form='logits'"):
        Bernoulli().canonical(torch.tensor([[prob]]), "probs")


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int64])
def test_targets_become_floating_point(dtype):
    y = Bernoulli().as_target(torch.tensor([0, 1], dtype=dtype), torch.Size([2]), torch.float32)
    assert y.tolist() == [0.0, 1.0]
    assert y.dtype == torch.float32


@pytest.mark.parametrize("label", [-1.0, 0.5, 2.0, float("nan")])
def test_targets_must_be_zero_or_one(label):
    with pytest.raises(ValueError, match=r"labels 0 and 1, but got a float32 tensor of shape \(2,\) with other values"):
        Bernoulli().as_target(torch.tensor([0.0, label]), torch.Size([2]), torch.float32)


def test_a_column_of_targets_raises_for_one_label():
    with pytest.raises(ValueError, match=r"Use y\.squeeze\(-1\)"):
        Bernoulli().as_target(torch.zeros(7, 1), torch.Size([7]), torch.float32)


def test_a_flat_target_raises_for_a_vector_of_one_label():
    with pytest.raises(ValueError, match=r"Use y\.unsqueeze\(-1\)"):
        Bernoulli(1).as_target(torch.zeros(7), torch.Size([7]), torch.float32)


def test_construction_refuses_no_labels():
    with pytest.raises(ValueError, match=r"`num_labels` of at least 1 \(or None for a scalar y\), but got 0"):
        Bernoulli(0)


def test_units_are_refused():
    with pytest.raises(ValueError, match="no shift or scale"):
        Bernoulli().in_units(0.0, 2.0)
