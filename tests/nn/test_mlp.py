"""The plain perceptron."""

from itertools import pairwise

import pytest
import torch
from torch import nn

from endd.nn import MLP


@pytest.mark.parametrize("hidden", [[], [50], [7, 5]])
def test_shapes_and_number_of_parameters(hidden):
    net = MLP(3, hidden, 2)
    widths = [3, *hidden, 2]
    assert net(torch.zeros(4, 3)).shape == (4, 2)
    expected = sum((a + 1) * b for a, b in pairwise(widths))
    assert sum(p.numel() for p in net.parameters()) == expected


@pytest.mark.parametrize(
    ("activation", "function"),
    [("relu", torch.relu), ("tanh", torch.tanh), ("silu", nn.functional.silu), ("gelu", nn.functional.gelu)],
)
def test_an_activation_follows_each_hidden_layer_only(activation, function):
    net = MLP(3, [6, 5], 2, activation)
    first, second, last = (layer for layer in net.modules() if isinstance(layer, nn.Linear))
    x = torch.randn(4, 3)
    torch.testing.assert_close(net(x), last(function(second(function(first(x))))))


def test_unknown_activation():
    with pytest.raises(ValueError, match="`activation` to be one of 'relu', 'tanh', 'silu', 'gelu', but got 'sine'"):
        MLP(3, [5], 2, activation="sine")
