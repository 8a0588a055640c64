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
    with pytest.raises(
        ValueError, match="`activation` to be one of 'relu', 'tanh', 'silu', 'gelu', 'relu_gelu', but got 'sine'"
    ):
        MLP(3, [5], 2, activation="sine")


def test_a_generator_draws_the_weights_as_torch_does_and_nothing_else():
    before = torch.random.get_rng_state()
    one, same, other = (MLP(16, [400], 2, generator=torch.Generator().manual_seed(seed)) for seed in (0, 0, 1))
    assert torch.equal(torch.random.get_rng_state(), before)
    weights = [net.layers[0].weight for net in (one, same, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
    for parameter in (one.layers[0].weight, one.layers[0].bias):
        assert 0.24 < float(parameter.detach().abs().max()) <= 0.25
        assert float(parameter.detach().std()) == pytest.approx(
            float(nn.Linear(16, 400).weight.detach().std()), rel=0.1
        )


def test_kinked_and_smooth_units_side_by_side():
    net = MLP(3, [5], 5, "relu_gelu")
    x = torch.randn(4, 5)
    expected = torch.cat([torch.relu(x[:, :2]), nn.functional.gelu(x[:, 2:])], 1)
    torch.testing.assert_close(net.layers[1](x), expected)
