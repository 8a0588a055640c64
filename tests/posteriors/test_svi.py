"""SVI: draws of the weights, and training that finds the posterior of a problem that has one."""

import pytest
import torch
from torch import nn

import endd
from endd.families import Gaussian
from endd.nn import MLP, Variational
from endd.posteriors import Divergence, SVISampler
from endd.training.stack import Stack

FAMILY = Gaussian()
X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))


def test_every_draw_is_a_network_with_weights_of_its_own():
    net = Variational(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)), start=0.5)
    sampler = SVISampler(net, FAMILY, draws=3)
    z = sampler.predict(X).v.atoms
    first, last = net.net[0], net.net[2]
    for draw in range(3):
        weights = [layer.weight + layer.scale * noise[draw] for layer, noise in zip((first, last), sampler.buffers())]  # noqa: B905
        hidden = (X @ weights[0].T + first.bias).tanh()
        torch.testing.assert_close(z[draw], (hidden @ weights[1].T + last.bias).detach())


def test_moments_are_those_of_the_weights():
    net = Variational(nn.Sequential(nn.Linear(3, 2)), start=0.5)
    v = SVISampler(net, FAMILY, draws=5000).predict(X).v
    layer = net.net[0]
    variance = (X.square() @ layer.scale.square().T).detach()
    torch.testing.assert_close(v.variance, variance, rtol=0.1, atol=0)
    assert bool(((v.mean - layer.eval()(X)).abs() < 5 * (variance / 5000).sqrt()).all())


def test_noise_is_not_saved_with_the_weights():
    sampler = SVISampler(Variational(MLP(3, [4], 2)), FAMILY)
    assert not [name for name in sampler.state_dict() if "noise" in name]


def test_penalties_of_a_stack_are_those_of_its_networks_with_gradients():
    nets = [Variational(MLP(3, [4], 2), prior_scale=1.0) for _ in range(3)]
    stack, penalty = Stack(nets), Divergence(rows=10, weight=0.5)
    found = stack.of_each(penalty)
    torch.testing.assert_close(found, torch.stack([net.divergence() for net in nets]) / 20)
    found.sum().backward()
    (nets[1].divergence() / 20).backward()
    for stacked, (name, parameter) in zip(stack.stacked, nets[1].named_parameters(), strict=True):
        if parameter.grad is not None:
            torch.testing.assert_close(stacked.grad[1], parameter.grad, msg=name)


def test_stacked_training_finds_the_posterior_of_a_linear_model():
    """y = w x + noise of known size: mean and scale of w are known; a second output without data keeps its prior."""
    generator = torch.Generator().manual_seed(1)
    N, noise, prior = 40, 0.5, 0.7
    x = torch.linalg.qr(torch.randn(N, 2, generator=generator)).Q * N**0.5  # inputs that say nothing of each other
    y = x @ torch.tensor([0.8, -0.4]) + noise * torch.randn(N, generator=generator)
    precision = x.square().sum(0) / noise**2 + 1 / prior**2
    mean = (x * y[:, None]).sum(0) / noise**2 / precision

    repeats = [Variational(nn.Sequential(nn.Linear(2, 2, bias=False)), prior_scale=prior) for _ in range(4)]
    options = {"epochs": 1500, "batch_size": N, "learning_rate": 0.02, "progress": "none", "device": "cpu"}
    endd.fit_ensemble(
        endd.Ensemble(repeats, FAMILY),
        (x, y),
        loss=lambda family, z, y: (y - z[..., 0]).square() / (2 * noise**2),
        penalty=Divergence(rows=N),
        **options,
    )
    for net in repeats:
        layer = net.net[0]
        torch.testing.assert_close(layer.weight[0].detach(), mean, rtol=0.05, atol=0.02)
        torch.testing.assert_close(layer.scale[0].detach(), precision**-0.5, rtol=0.2, atol=0)
        torch.testing.assert_close(layer.scale[1].detach(), torch.full((2,), prior), rtol=0.1, atol=0)
        assert float(layer.weight[1].detach().abs().max()) < 0.05


def test_other_networks_run_under_vmap_each_with_noise_of_its_own():
    nets = [Variational(nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))) for _ in range(2)]
    nets[1].load_state_dict(nets[0].state_dict())
    stack = Stack(nets)
    stack.train()
    raw = stack(X.expand(2, 6, 3))
    assert stack._vmaps
    assert not torch.allclose(raw[0], raw[1])


@pytest.mark.parametrize("last_only", [False, True])
def test_repeats_with_batch_norm_train_side_by_side(last_only):
    """Their tracks run as grouped convolutions, each with noise of its own."""
    x = torch.randn(32, 3, 8, 8)
    y = (x.mean((1, 2, 3)) > 0).long()
    family = endd.families.Categorical(2)
    repeats = [Variational(endd.nn.ResNet(8, 2, 3), last_only=last_only) for _ in range(2)]
    for net in repeats[1:]:
        net.load_state_dict(repeats[0].state_dict())
    stack = Stack(repeats)
    stack.train()
    raw = stack(x.expand(2, *x.shape))
    assert stack._groups
    assert not torch.allclose(raw[0], raw[1])
    options = {"epochs": 10, "batch_size": 16, "progress": "none", "device": "cpu", "learning_rate": 0.01}
    history = endd.fit_ensemble(
        endd.Ensemble(repeats, family), (x, y), penalty=Divergence(rows=32, weight=0.1), **options
    )
    assert history.loss[-1] < history.loss[0]
    prediction = SVISampler(repeats[0], family, 10).predict(x)
    assert bool((prediction.epistemic > 0).all())


def test_only_uncertain_networks_have_a_divergence():
    with pytest.raises(TypeError, match=r"a network as endd\.nn\.Variational\(net\), but got MLP"):
        SVISampler(MLP(3, [4], 2), FAMILY)
    with pytest.raises(TypeError, match=r"networks as endd\.nn\.Variational\(net\), but got MLP"):
        Divergence(rows=3)(MLP(3, [4], 2))
    with pytest.raises(ValueError, match="`rows` to be a finite number above 0"):
        Divergence(rows=0)
