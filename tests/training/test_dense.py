"""MLPs side by side against torch's own forward and backward passes."""

import gc

import pytest
import torch
from torch import Tensor, nn

from endd.nn import MLP
from endd.nn.mlp import ACTIVATIONS
from endd.training.dense import SLOPES, DenseStack, Workspace, slope_of

J, B = 4, 6


def parameters(networks: list[MLP]) -> list[Tensor]:
    names = [name for name, _ in networks[0].named_parameters()]
    return [torch.stack([net.get_parameter(name).detach() for net in networks]).requires_grad_() for name in names]


def networks(hidden: list[int], activation: str = "relu") -> list[MLP]:
    return [MLP(3, hidden, 2, activation).double() for _ in range(J)]


def run(nets: list[MLP], x: Tensor, stacked: list[Tensor], workspace: Workspace | None = None) -> Tensor:
    slope = slope_of(nets[0])
    assert slope is not None
    z: Tensor = DenseStack.apply(x, (workspace or Workspace()).lease(), slope, *stacked)
    return z


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("hidden", [[], [7], [2], [5, 9]])
def test_values_and_gradients_are_those_of_a_loop_over_networks(hidden: list[int], activation: str) -> None:
    nets = networks(hidden, activation)
    stacked, x = parameters(nets), torch.randn(J, B, 3, dtype=torch.double, requires_grad=True)
    weights = torch.randn(J, B, 2, dtype=torch.double)
    z = run(nets, x, stacked)
    (z * weights).sum().backward()
    x_alone = x.detach().clone().requires_grad_()
    alone = torch.stack([net(rows) for net, rows in zip(nets, x_alone, strict=True)])
    (alone * weights).sum().backward()
    torch.testing.assert_close(z, alone)
    torch.testing.assert_close(x.grad, x_alone.grad)
    for tensor, (name, _) in zip(stacked, nets[0].named_parameters(), strict=True):
        torch.testing.assert_close(tensor.grad, torch.stack([net.get_parameter(name).grad for net in nets]))


def test_memory_goes_back_when_the_graph_is_gone_and_not_before() -> None:
    nets, workspace = networks([7], "silu"), Workspace()
    stacked, x = parameters(nets), torch.randn(J, B, 3, dtype=torch.double)
    first, second = run(nets, x, stacked, workspace), run(nets, 2 * x, stacked, workspace)
    (expected,) = torch.autograd.grad(first.sum(), stacked[0], retain_graph=True)
    (again,) = torch.autograd.grad(first.sum(), stacked[0])  # the second pass took other memory
    assert torch.equal(expected, again)
    assert not any(workspace.free.values())
    del first, second
    gc.collect()
    (free,) = [tensors for tensors in workspace.free.values() if tensors]
    assert all(tensor.shape == (J, 7, B) for tensor in free)
    count = len(free)
    run(nets, x, stacked, workspace).sum().backward()
    assert len(free) == count


def test_what_was_added_to_an_mlp_is_not_passed_over() -> None:
    assert slope_of(nn.Linear(3, 2)) is None
    hooked, bare, mixed, grown, longer = (MLP(3, [4, 4], 2) for _ in range(5))
    hooked.layers[0].register_forward_hook(lambda *_: None)
    bare.layers[0] = nn.Linear(3, 4, bias=False)
    mixed.layers[1] = nn.Tanh()
    grown.layers.append(nn.Dropout())
    longer.layers.append(nn.Linear(2, 2))
    assert [slope_of(net) for net in (hooked, bare, mixed, grown, longer)] == [None] * 5
    assert slope_of(MLP(3, [4, 4], 2, "gelu")) is SLOPES[nn.GELU]


def test_every_activation_has_its_slope() -> None:
    assert set(SLOPES) == set(ACTIVATIONS.values())
