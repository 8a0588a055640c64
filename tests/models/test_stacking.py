"""The stacked pass equals the loop, and only like is stacked with like."""

import numpy as np
import pytest
import torch
from torch import nn

import endd
from endd.families import Categorical, Gaussian
from endd.models.stacking import stackable
from endd.nn import MLP, ResNet


@pytest.mark.parametrize(
    "make", [lambda: MLP(12, [8], 4), lambda: nn.Sequential(nn.Unflatten(1, (3, 2, 2)), ResNet(8, 4, 4))]
)
def test_stacked_equals_the_loop(make) -> None:  # type: ignore[no-untyped-def]
    nets, x = [make().eval() for _ in range(4)], torch.randn(6, 12)
    stacked = endd.Ensemble(nets, Categorical(4), stacking="stacked")
    loop = endd.Ensemble(nets, Categorical(4), stacking="loop")
    torch.testing.assert_close(stacked.predict(x).v.atoms, loop.predict(x).v.atoms)
    torch.testing.assert_close(stacked(x).atoms, loop(x).atoms)
    stacked(x).atoms.sum().backward()
    assert all(p.grad is not None for net in nets for p in net.parameters())


def test_stacked_passes_see_weights_change() -> None:
    nets, x = [MLP(3, [8], 2).eval() for _ in range(5)], torch.randn(4, 3)
    ensemble = endd.Ensemble(nets, Gaussian(), stacking="stacked")
    ensemble.predict(x)
    with torch.no_grad():
        next(iter(nets[2].parameters())).add_(1.0)
    torch.testing.assert_close(ensemble.predict(x).v.atoms[2], nets[2](x))


def test_networks_that_differ_only_in_a_setting_are_not_stacked() -> None:
    assert stackable([MLP(3, [8], 2), MLP(3, [8], 2)])
    assert not stackable([MLP(3, [8], 2), MLP(3, [8], 2, activation="tanh")])
    assert not stackable([nn.Dropout(0.1), nn.Dropout(0.2)])


class Config:
    """Settings that say what equal means, as those of transformers do."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and self.size == other.size


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (Config(1), Config(1), True),
        (Config(1), Config(2), False),
        ({"size": 1}, {"size": 1}, True),
        (1, 1.0, False),
        (object(), object(), False),
        (torch.ones(3), torch.ones(3), False),
        (np.ones(3), np.ones(3), False),
        ([torch.ones(3)], [torch.ones(3)], False),
        ([np.ones(3)], [np.ones(3)], False),
    ],
)
def test_settings_are_compared_where_they_can_be(first: object, second: object, equal: bool) -> None:
    nets = [nn.Linear(2, 2), nn.Linear(2, 2)]
    nets[0].setting, nets[1].setting = first, second
    assert stackable(nets) == equal
