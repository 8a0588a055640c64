"""endd's own networks build themselves again; others are brought and checked."""

from typing import Any

import pytest
import torch
from torch import nn

from endd.nn import MLP, DenseNet, ResNet
from endd.persistence import ModelFolderError
from endd.persistence.networks import network_from_plain, network_to_plain, state_of


@pytest.mark.parametrize(
    ("net", "x"),
    [
        (MLP(3, [5, 4], 2, "silu"), torch.randn(7, 3)),
        (MLP(3, [], 2).double(), torch.randn(7, 3).double()),
        (ResNet(8, 5, width=4), torch.randn(2, 3, 32, 32)),
        (ResNet(8, 5, width=4, dropout=0.1, head_dropout=0.3), torch.randn(2, 3, 32, 32)),
        (DenseNet((1, 2), 3, 5), torch.randn(2, 3, 32, 32)),
        (ResNet(8, 5, width=4, symmetric=True), torch.randn(2, 3, 32, 32)),
    ],
)
def test_endds_own_are_built_again(net: nn.Module, x: torch.Tensor) -> None:
    before = torch.random.get_rng_state()
    again = network_from_plain(network_to_plain(net), state_of(net))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.equal(again.eval()(x), net.eval()(x))
    assert all(parameter.requires_grad for parameter in again.parameters())


def test_a_network_of_ones_own_is_brought() -> None:
    net, other = nn.Linear(3, 2), nn.Linear(3, 2)
    plain, state = network_to_plain(net), state_of(net)
    with pytest.raises(ValueError, match=r"Expected the network that was saved, a Linear, but got none.*net=\.\.\."):
        network_from_plain(plain, state)
    assert network_from_plain(plain, state, other) is other
    assert torch.equal(other.weight, net.weight)
    with pytest.raises(TypeError, match=r"Expected `net` to be a torch\.nn\.Module"):
        network_from_plain(plain, state, 3)


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (nn.Linear(4, 2), r"`net` has .* weight: \(2, 4\) float32 against \(2, 3\) float32\.$"),
        (nn.Linear(3, 2, bias=False), r"bias: none against \(2,\) float32"),
        (nn.Linear(3, 2).double(), "weight: .* float64 against .* float32"),
        (nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 2)), r"0\.weight: .* against none.* and 3 more"),
    ],
)
def test_a_mismatch_is_named(other: nn.Module, named: str) -> None:
    net = nn.Linear(3, 2)
    with pytest.raises(ValueError, match=named):
        network_from_plain(network_to_plain(net), state_of(net), other)


@pytest.mark.parametrize(
    "plain",
    [
        {"name": "MLP", "architecture": {"inputs": 3, "hidden": [10**12], "outputs": 2, "activation": "relu"}},
        {"name": "ResNet", "architecture": {"depth": 6 * 10**9 + 2, "outputs": 2, "width": 16}},
        {"name": "DenseNet", "architecture": {"layers": [1, 10**9], "growth": 2, "outputs": 2}},
    ],
)
def test_no_more_memory_is_taken_than_the_file_holds(plain: dict[str, Any]) -> None:
    with pytest.raises(ModelFolderError):
        network_from_plain(plain, state_of(MLP(3, [4], 2)))


def test_only_tensors_can_be_saved() -> None:
    class Odd(nn.Linear):
        def get_extra_state(self) -> Any:
            return {"code": print}

        def set_extra_state(self, state: Any) -> None:
            pass

    with pytest.raises(TypeError, match="Expected tensors in the state"):
        state_of(Odd(2, 2))
