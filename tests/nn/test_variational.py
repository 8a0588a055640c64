"""Networks with uncertain weights: the noise, the divergence, and what stays certain."""

import pytest
import torch
from torch import nn
from torch.distributions import Normal, kl_divergence
from torch.nn.functional import conv2d, linear

from endd.nn import MLP, ResNet, Variational
from endd.nn.variational import VariationalConv2d, VariationalLinear

DRAWS = 20_000
F64 = torch.float64


def line(prior_scale=None):
    return VariationalLinear(nn.Linear(5, 3).double(), prior_scale, 0.5)


def image(**options):
    return VariationalConv2d(nn.Conv2d(2, 3, 3, **options).double(), None, 0.5)


def noise_of(layer, x):
    """Outputs in training less those of the means, (DRAWS, B, ...)."""
    with torch.no_grad():
        return torch.stack([layer.train()(x) for _ in range(DRAWS)]) - layer.eval()(x)


@pytest.mark.parametrize(
    ("layer", "x", "variance"),
    [
        (line(), torch.randn(4, 5, dtype=F64), lambda layer, x: linear(x**2, layer.scale**2)),
        (
            image(padding=1, stride=2),
            torch.randn(4, 2, 4, 4, dtype=F64),
            lambda layer, x: conv2d(x**2, layer.scale**2, padding=1, stride=2),
        ),
    ],
    ids=["linear", "convolution"],
)
def test_every_row_has_noise_of_the_right_variance_and_nothing_to_do_with_the_next(layer, x, variance):
    noise, expected = noise_of(layer, x), variance(layer, x).detach()
    assert bool((noise.mean(0).abs() < 5 * (expected / DRAWS).sqrt()).all())
    torch.testing.assert_close(noise.var(0), expected, rtol=0.1, atol=0)
    pairs = (noise[:, 0] * noise[:, 1]).mean(0) / (expected[0] * expected[1]).sqrt()
    assert float(pairs.abs().max()) < 5 / DRAWS**0.5 * 2


def test_in_eval_mode_it_is_the_plain_layer_and_draws_nothing():
    plain, x = nn.Conv2d(2, 4, 3, padding=1, groups=2), torch.randn(3, 2, 6, 6)
    layer = VariationalConv2d(plain, 1.0, 0.1).eval()
    state = torch.random.get_rng_state()
    assert torch.equal(layer(x), plain(x))
    assert torch.equal(state, torch.random.get_rng_state())


@pytest.mark.parametrize("prior_scale", [0.1, 1.0, 3.0])
def test_the_divergence_is_that_of_normals(prior_scale):
    layer = line(prior_scale)
    prior = Normal(torch.zeros_like(layer.weight), prior_scale)
    expected = kl_divergence(Normal(layer.weight, layer.scale), prior).sum()
    torch.testing.assert_close(layer.divergence(), expected)


def test_without_a_prior_scale_the_best_one_is_taken():
    layer = line()
    best = (layer.weight.square() + layer.scale.square()).mean().sqrt().item()
    divergences = []
    for scale in (0.9 * best, best, 1.1 * best):
        layer.prior_scale = scale
        divergences.append(float(layer.divergence().detach()))
    layer.prior_scale = None
    assert float(layer.divergence().detach()) == pytest.approx(divergences[1])
    assert divergences[1] < min(divergences[0], divergences[2])


def test_a_network_is_copied_and_all_its_weights_become_uncertain():
    net = ResNet(8, 5, 4)
    variational = Variational(net)
    assert len(variational.uncertain()) == 8
    assert not any(name.endswith("raw_scale") for name in net.state_dict())
    with torch.no_grad():
        net.head.weight.zero_()
    assert bool(variational.net.head.weight.any())
    extra = [name for name, _ in variational.named_parameters() if name.endswith("raw_scale")]
    assert len(extra) == 8


@pytest.mark.parametrize(("net", "name"), [(ResNet(8, 5, 4), "net.head"), (MLP(3, [4, 4], 2), "net.layers.4")])
def test_only_the_last_layer(net, name):
    assert list(Variational(net, last_only=True).uncertain()) == [name]


def test_scales_start_as_a_part_of_the_spread_of_the_weights():
    net = Variational(MLP(3, [50], 2), start=0.2)
    for layer in net.uncertain().values():
        torch.testing.assert_close(layer.scale, 0.2 * layer.weight.std(correction=0).expand_as(layer.scale))
    flat = nn.Sequential(nn.Linear(3, 2))
    nn.init.zeros_(flat[0].weight)
    assert float(Variational(flat).uncertain()["net.0"].scale.detach().min()) == pytest.approx(1e-3)


def test_gradients_reach_means_and_scales():
    net = Variational(ResNet(8, 5, 4))
    (net(torch.randn(4, 3, 8, 8)).square().sum() + net.divergence()).backward()
    assert all(p.grad is not None and bool(p.grad.isfinite().all()) for p in net.parameters())


def test_what_cannot_be_uncertain_is_refused():
    with pytest.raises(ValueError, match="linear layers or convolutions inside, but got none"):
        Variational(nn.Sequential(nn.ReLU()))
    with pytest.raises(ValueError, match="`prior_scale` to be a finite number above 0"):
        Variational(MLP(3, [4], 2), prior_scale=0.0)
    with pytest.raises(ValueError, match="`start` to be a finite number above 0"):
        Variational(MLP(3, [4], 2), start=-1.0)
    with pytest.raises(ValueError, match="pad with zeros, but got padding_mode='circular'"):
        Variational(nn.Sequential(nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular")))
