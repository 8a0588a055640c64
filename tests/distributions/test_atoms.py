"""Weighted points, whoever brings them."""

import pytest
import torch

from endd.distributions import Atoms, Members, Point

Z = torch.randn(4, 3, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
WEIGHTS = torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)
ATOMS = [Members(Z), Members(Z, WEIGHTS), Point(Z[0])]


@pytest.fixture(params=ATOMS, ids=["equal", "weighted", "point"])
def v(request):
    return request.param


def test_atoms_is_abstract():
    with pytest.raises(TypeError, match="abstract class Atoms"):
        Atoms()


def test_log_prob_names_the_mixture_objective(v):
    with pytest.raises(TypeError, match=rf"{type(v).__name__} has no density .*endd\.objectives\.MixtureDistillation"):
        v.log_prob(Z)


def test_weights_sum_to_one(v):
    assert v.weights.shape == (len(v.atoms),)
    assert v.weights.sum().item() == pytest.approx(1)


def test_population_moments(v):
    w = v.weights[:, None, None]
    mean = (w * v.atoms).sum(0)
    torch.testing.assert_close(v.mean, mean)
    torch.testing.assert_close(v.variance, (w * (v.atoms - mean) ** 2).sum(0))


def test_equal_members_have_the_population_variance():
    torch.testing.assert_close(Members(Z).variance, Z.var(0, correction=0))


@pytest.mark.parametrize("shape", [(), (5,), (2, 6)])
def test_samples_are_atoms(v, shape):
    z = v.sample(shape)
    assert z.shape == (*shape, 3, 2)
    distances = (z.reshape(-1, 1, 3, 2) - v.atoms).abs().sum(-1)
    assert distances.amin(1).max() == 0


def test_samples_come_by_their_weights():
    atoms = torch.arange(4.0).reshape(4, 1, 1).expand(4, 3, 1)
    z = Members(atoms, WEIGHTS).sample((4000,))[..., 0]
    counts = torch.stack([(z == k).double().mean(0) for k in range(4)])
    torch.testing.assert_close(counts, WEIGHTS[:, None].expand(4, 3), rtol=0, atol=0.03)


def test_inputs_are_sampled_on_their_own():
    z = Members(torch.tensor([0.0, 1.0]).reshape(2, 1, 1).expand(2, 200, 1)).sample()
    assert set(z.flatten().tolist()) == {0.0, 1.0}


def test_a_batch_of_its_own_is_not_needed():
    v = Members(Z[:, 0])
    assert (v.batch_shape, v.sample().shape, v.mean.shape) == ((), (2,), (2,))


def test_samples_carry_no_gradient():
    z = Z.clone().requires_grad_()
    assert not Members(z).sample().requires_grad
    assert Members(z).mean.requires_grad
    assert not Members.has_rsample
