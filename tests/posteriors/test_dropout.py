"""MC dropout with fixed masks: thinned networks, with the distribution that dropout has."""

import copy

import pytest
import torch
from torch import nn

import endd
from endd.families import Categorical, Gaussian
from endd.nn import ResNet
from endd.nn.masked import masks
from endd.posteriors import DropoutSampler

FAMILY = Gaussian()
X = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))
CPU = torch.device("cpu")


def test_every_draw_is_a_network_with_its_mask():
    net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Dropout(0.25), nn.Linear(8, 2))
    z = DropoutSampler(net, FAMILY, draws=4).predict(X).v.atoms
    kept = masks(0.25, 4, (8,), (0, 0), CPU)
    for draw in range(4):
        expected = net[3](net[1](net[0](X)) * kept[draw] / 0.75)
        torch.testing.assert_close(z[draw], expected.detach())


def test_moments_are_those_of_dropout_itself():
    net = nn.Sequential(nn.Dropout(0.2), nn.Linear(3, 16), nn.Tanh(), nn.Dropout(0.4), nn.Linear(16, 2)).double()
    x, count = X.double(), 4000
    fixed = DropoutSampler(net, FAMILY, count).predict(x).v
    with torch.no_grad():
        usual = torch.stack([net.train()(x) for _ in range(count)])
    error = ((fixed.variance + usual.var(0)) / count).sqrt()
    assert bool(((fixed.mean - usual.mean(0)).abs() < 5 * error).all())
    torch.testing.assert_close(fixed.variance, usual.var(0), rtol=0.15, atol=0)


def test_channels_fall_as_one():
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Dropout2d(0.5), nn.Flatten(), nn.Linear(32, 2))
    assert DropoutSampler(net, FAMILY, 5).predict(torch.randn(2, 3, 4, 4)).v.atoms.shape == (5, 2, 2)


def test_with_dropout_before_the_head_only_the_trunk_runs_once():
    class Counted(nn.Linear):
        rows = 0

        def forward(self, x):
            Counted.rows += len(x) if not torch._C._functorch.is_batchedtensor(x) else 10**6
            return super().forward(x)

    net = nn.Sequential(Counted(3, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 2))
    DropoutSampler(net, FAMILY, draws=30).predict(X)
    assert Counted.rows == len(X)


def test_last_layer_dropout_of_a_residual_network_thins_its_features():
    net = ResNet(8, 4, 4, head_dropout=0.5).eval()
    x = torch.randn(3, 3, 16, 16)
    z = DropoutSampler(net, Categorical(4), draws=5).predict(x).v.atoms
    plain = copy.deepcopy(net)
    plain.head = nn.Identity()
    kept = masks(0.5, 5, (16,), (0, 0), CPU)
    expected = torch.stack([net.head(plain(x) * kept[draw] * 2) for draw in range(5)])
    torch.testing.assert_close(z, expected.detach(), rtol=1e-4, atol=1e-5)


def test_without_noise_in_the_network_there_is_nothing_to_draw():
    for net in (nn.Linear(3, 2), nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.0)), ResNet(8, 2, 4)):
        with pytest.raises(ValueError, match=r"nn\.Dropout layers of a rate above 0, but got none"):
            DropoutSampler(net, FAMILY)


def test_repeats_train_side_by_side_as_an_ensemble():
    x = torch.randn(32, 3, 8, 8)
    y = (x.mean((1, 2, 3)) > 0).long()
    repeats = [ResNet(8, 2, 3, dropout=0.1, head_dropout=0.1) for _ in range(3)]
    ensemble = endd.Ensemble(repeats, Categorical(2))
    history = endd.fit_ensemble(ensemble, (x, y), epochs=8, batch_size=16, progress="none", device="cpu")
    assert history.loss[-1] < history.loss[0]
    z = torch.stack([DropoutSampler(net, Categorical(2), 10).predict(x).v.mean for net in repeats])
    assert not torch.allclose(z[0], z[1])
