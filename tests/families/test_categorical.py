"""y is one of K classes: K logits, or K - 1 against a reference class."""

import numpy as np
import pytest
import torch
from scipy import special, stats

from endd.families import Categorical

K = 4
GENERATOR = torch.Generator().manual_seed(0)
LOGITS = 2 * torch.randn(5, 7, K, generator=GENERATOR, dtype=torch.float64)
Y = torch.randint(K, (7,), generator=GENERATOR)
REFERENCES = [None, 0, 1, 2, 3]


def parameters(family):
    return LOGITS if family.reference is None else LOGITS[..., 1:]


def scipy_log_probs(family):
    z = parameters(family).numpy()
    z = z if family.reference is None else np.insert(z, family.reference, 0.0, axis=-1)
    return special.log_softmax(z, -1)


@pytest.fixture(params=REFERENCES)
def family(request):
    return Categorical(K, reference=request.param)


def test_log_prob_as_scipy(family):
    log_probs = scipy_log_probs(family)
    expected = np.take_along_axis(log_probs, np.broadcast_to(Y, (5, 7))[..., None], -1)[..., 0]
    np.testing.assert_allclose(family(parameters(family)).log_prob(Y), expected, rtol=1e-10)


def test_probabilities_label_variance_and_entropy_as_scipy(family):
    z, probs = parameters(family), np.exp(scipy_log_probs(family))
    np.testing.assert_allclose(family.mean(z), probs, rtol=1e-10)
    np.testing.assert_allclose(family.variance(z), stats.bernoulli(probs).var(), rtol=1e-10)
    np.testing.assert_allclose(family.entropy(z), stats.entropy(probs, axis=-1), rtol=1e-10)


def test_number_of_parameters(family):
    assert family.num_parameters == (K if family.reference is None else K - 1)
    assert family.shift_invariant == (family.reference is None)


def test_sure_logits_have_no_entropy_and_no_nan():
    assert Categorical(3).entropy(torch.tensor([1e4, 0.0, -1e4])).item() == 0


def test_pairwise_kl_is_the_double_loop(family, weights, loop_kl):
    z = parameters(family)
    torch.testing.assert_close(family.pairwise_kl(z, weights), loop_kl(family, z, weights))


def test_pairwise_kl_ignores_a_shift_of_each_member(weights):
    shift = torch.arange(5.0, dtype=torch.float64)[:, None, None]
    family = Categorical(K)
    torch.testing.assert_close(family.pairwise_kl(LOGITS + shift, weights), family.pairwise_kl(LOGITS, weights))


def test_nodes_are_the_classes_with_the_mixture_probabilities(family, weights):
    z = parameters(family)
    y, chances, method = family.nodes(z, weights)
    assert method == "exact"
    assert torch.equal(y, torch.arange(K)[:, None].expand(K, 7))
    torch.testing.assert_close(chances, torch.einsum("m,mbk->kb", weights, family.mean(z)))
    torch.testing.assert_close(chances.sum(0), torch.ones(7, dtype=torch.float64))


def test_canonical_takes_all_logits_to_this_form(family):
    z = family.canonical(LOGITS, "logits")
    assert z.shape[-1] == family.num_parameters
    torch.testing.assert_close(family.mean(z), LOGITS.softmax(-1))


def test_canonical_from_probabilities_and_back(family):
    probs = LOGITS.softmax(-1)
    torch.testing.assert_close(family.mean(family.canonical(probs, "probs")), probs)


def test_canonical_keeps_parameters(family):
    z = parameters(family)
    assert family.canonical(z) is z


def test_canonical_of_certain_probabilities_is_finite():
    family = Categorical(3, reference=1)
    certain = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    z = family.canonical(certain, "probs")
    assert z.isfinite().all()
    torch.testing.assert_close(family.mean(z), certain)


@pytest.mark.parametrize(
    "outputs", [torch.full((2, 3), 0.5), torch.tensor([[1.5, -0.5, 0.0]]), torch.full((1, 3), torch.nan)]
)
def test_canonical_refuses_what_are_no_probabilities(outputs):
    with pytest.raises(ValueError, match=r"sum to 1 .* Pass logits with form='logits'"):
        Categorical(3).canonical(outputs, "probs")


@pytest.mark.parametrize("form", ["logits", "probs"])
def test_canonical_refuses_the_wrong_number_of_classes(form):
    with pytest.raises(ValueError, match=rf"Expected 4 {form} a row, but got a float32 tensor of shape \(2, 3\)"):
        Categorical(4).canonical(torch.full((2, 3), 1 / 3), form)


def test_canonical_refuses_an_unknown_form():
    with pytest.raises(ValueError, match="one of 'parameters', 'logits', 'probs', but got 'moments'"):
        Categorical(3).canonical(torch.zeros(1, 3), "moments")


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64])
def test_targets_become_int64(dtype):
    assert Categorical(K).as_target(Y.to(dtype), Y.shape, torch.float32).dtype == torch.int64


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool])
def test_targets_must_be_integers(dtype):
    with pytest.raises(TypeError, match=r"integer classes, but got a (float32|bool) tensor .* Use y\.long\(\)"):
        Categorical(K).as_target(Y.to(dtype), Y.shape, torch.float32)


@pytest.mark.parametrize("label", [-1, K])
def test_targets_must_be_classes(label):
    with pytest.raises(ValueError, match=r"Expected classes from 0 to 3 in `y`, but got values from -?\d to \d"):
        Categorical(K).as_target(torch.tensor([0, 1, label]), torch.Size([3]), torch.float32)


def test_a_column_of_targets_raises():
    with pytest.raises(ValueError, match=r"Use y\.squeeze\(-1\)"):
        Categorical(K).as_target(Y[:, None], Y.shape, torch.float32)


def test_no_targets_are_fine():
    assert Categorical(K).as_target(Y[:0], torch.Size([0]), torch.float32).shape == (0,)


def test_construction_refuses_one_class():
    with pytest.raises(ValueError, match="`num_classes` of at least 2, but got 1"):
        Categorical(1)


@pytest.mark.parametrize("reference", [-1, 3])
def test_construction_refuses_an_unknown_reference(reference):
    with pytest.raises(ValueError, match=f"`reference` to be a class from 0 to 2, but got {reference}"):
        Categorical(3, reference=reference)


def test_wrong_number_of_parameters_is_explained():
    with pytest.raises(
        ValueError, match=r"2 parameters .* Categorical\(num_classes=3, reference=0\).* Give the network 2"
    ):
        Categorical(3, reference=0)(torch.zeros(4, 3))


def test_units_are_refused():
    with pytest.raises(ValueError, match="no shift or scale"):
        Categorical(3).in_units(1.0, 2.0)
