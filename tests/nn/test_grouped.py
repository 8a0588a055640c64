"""Convolutional networks side by side as grouped convolutions."""

import copy
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
import torch
from torch import Tensor

from endd.nn import DenseNet, ResNet, Variational
from endd.nn.grouped import dense_convolution, fused, grouped_forward, takes_groups
from endd.training.stack import Stack

Net = TypeVar("Net", ResNet, DenseNet)
TRACKS = 3
DRAWS = 1200  # of noise, enough for moments


def networks(depth: int = 14, width: int = 5) -> list[ResNet]:
    return used([ResNet(depth, 4, width).double() for _ in range(TRACKS)])


def dense_networks() -> list[DenseNet]:
    return used([DenseNet((2, 3), 4, 4).double() for _ in range(TRACKS)])


def symmetric_networks() -> list[ResNet]:
    return used([ResNet(8, 4, 4, symmetric=True).double() for _ in range(TRACKS)])


def symmetric_dense_networks() -> list[DenseNet]:
    return used([DenseNet((2, 3), 4, 4, symmetric=True).double() for _ in range(TRACKS)])


def used(made: list[Net]) -> list[Net]:
    for net in made:  # running statistics and scales that are not those of a new network
        for name, tensor in net.state_dict().items():
            if "norm" in name and tensor.is_floating_point():
                tensor.copy_(0.5 + torch.rand_like(tensor))
    return made


KINDS: dict[str, Callable[[], list[Any]]] = {
    "residual": networks,
    "dense": dense_networks,
    "symmetric": symmetric_networks,
    "symmetric dense": symmetric_dense_networks,
}


def images(rows: int = 6) -> Tensor:
    return torch.randn(TRACKS, rows, 3, 8, 8, dtype=torch.float64)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_every_track_is_its_network(training: bool, kind: str) -> None:
    nets, x = KINDS[kind](), images()
    stack = Stack(nets)
    stack.train(training)
    raw = stack(x)
    for track, net in enumerate(copy.deepcopy(nets)):
        torch.testing.assert_close(raw[track], net.train(training)(x[track]))


@pytest.mark.parametrize("kind", KINDS)
def test_running_statistics_move_as_each_networks_own(kind: str) -> None:
    nets, x = KINDS[kind](), images()
    single = copy.deepcopy(nets)
    stack = Stack(nets)
    stack.train()
    for _ in range(2):
        stack(x)
        for track, net in enumerate(single):
            net.train()(x[track])
    stack.unstack()
    for ours, theirs in zip(nets, single, strict=True):
        torch.testing.assert_close(dict(ours.state_dict()), dict(theirs.state_dict()))
    stack.eval()
    stack(x)
    stack.unstack()
    assert nets[0].norm.num_batches_tracked == 2


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_those_of_the_networks(kind: str) -> None:
    nets, x = KINDS[kind](), images()
    single = copy.deepcopy(nets)
    stack = Stack(nets)
    stack.train()
    stack(x).square().sum().backward()
    for track, net in enumerate(single):
        net.train()(x[track]).square().sum().backward()
        for stacked, (name, parameter) in zip(stack.stacked, net.named_parameters(), strict=True):
            assert stacked.grad is not None
            torch.testing.assert_close(stacked.grad[track], parameter.grad, msg=name)


def test_single_precision_agrees_to_its_rounding() -> None:
    nets = [net.float() for net in networks(20, 16)]
    x = torch.randn(TRACKS, 4, 3, 32, 32)
    stack = Stack(nets)
    stack.eval()
    for track, net in enumerate(nets):
        torch.testing.assert_close(stack(x)[track], net.eval()(x[track]), rtol=1e-4, atol=1e-4)


def test_only_a_residual_network_as_it_was_made_takes_groups() -> None:
    class Other(ResNet):
        def forward(self, x: Tensor) -> Tensor:
            return 2 * super().forward(x)

    hooked = ResNet(8, 4, 2)
    hooked.stem.register_forward_hook(lambda layer, given, result: 2 * result)
    assert takes_groups(ResNet(8, 4, 2))
    assert not takes_groups(Other(8, 4, 2))
    assert not takes_groups(hooked)


def test_a_residual_network_with_an_exchanged_part_takes_no_groups() -> None:
    class Loud(torch.nn.Conv2d):
        def forward(self, x: Tensor) -> Tensor:
            return 2 * super().forward(x)

    net = ResNet(8, 4, 2)
    net.stem = Loud(3, 2, 3, padding=1, bias=False)
    assert not takes_groups(net)


DROPPING = {"dropout": 0.3, "head_dropout": 0.2}


def test_dropout_is_off_in_inference_and_its_own_for_every_track() -> None:
    nets, x = [ResNet(8, 4, 3, **DROPPING).double() for _ in range(TRACKS)], images()
    for net in nets[1:]:
        net.load_state_dict(nets[0].state_dict())
    stack = Stack(nets)
    assert stack._groups
    stack.eval()
    torch.testing.assert_close(stack(x)[1], copy.deepcopy(nets[1]).eval()(x[1]))
    stack.train()
    same = x[:1].expand_as(x)
    raw = stack(same)
    assert not torch.allclose(raw[0], raw[1])
    assert not torch.allclose(raw, stack(same))


@pytest.mark.parametrize("last_only", [False, True])
def test_uncertain_residual_networks_take_groups_and_are_their_means_in_eval_mode(last_only: bool) -> None:
    nets, x = [Variational(net, last_only=last_only) for net in networks()], images()
    stack = Stack(nets)
    assert stack._groups
    stack.eval()
    for track, net in enumerate(copy.deepcopy(nets)):
        torch.testing.assert_close(stack(x)[track], net.eval()(x[track]))
    stack.train()
    raw = stack(x[:1].expand_as(x))
    assert not torch.allclose(raw, stack(x[:1].expand_as(x)))
    raw.square().sum().backward()
    assert all(p.grad is not None and bool(p.grad.isfinite().all()) for p in stack.stacked)


def test_an_uncertain_network_of_another_kind_takes_no_groups() -> None:
    class Other(Variational):
        def forward(self, x: Tensor) -> Tensor:
            return 2 * super().forward(x)

    assert takes_groups(Variational(ResNet(8, 4, 2)))
    assert not takes_groups(Other(ResNet(8, 4, 2)))
    assert not takes_groups(Variational(torch.nn.Sequential(torch.nn.Linear(3, 2))))


@pytest.mark.parametrize(
    "make",
    [
        lambda: ResNet(8, 2, 3, **DROPPING),
        lambda: Variational(ResNet(8, 2, 3), start=0.3),
        lambda: Variational(ResNet(8, 2, 3), start=0.5, last_only=True),
    ],
    ids=["dropout", "svi", "last-layer svi"],
)
def test_noise_of_grouped_networks_has_the_moments_of_a_networks_own(make: Callable[[], torch.nn.Module]) -> None:
    """Over many draws, each track agrees in mean and variance with the network run alone."""
    nets = [make() for _ in range(2)]
    x = torch.randn(2, 4, 3, 8, 8)
    stack = Stack(nets)
    stack.train()
    alone = [copy.deepcopy(net).train() for net in nets]
    with torch.no_grad():
        grouped = torch.stack([stack(x) for _ in range(DRAWS)])
        single = torch.stack([torch.stack([net(x[track]) for track, net in enumerate(alone)]) for _ in range(DRAWS)])
    error = ((grouped.var(0) + single.var(0)) / DRAWS).sqrt()
    assert bool(((grouped.mean(0) - single.mean(0)).abs() < 5 * error).all())
    torch.testing.assert_close(grouped.std(0), single.std(0), rtol=0.15, atol=0)


def test_pixels_are_divided_by_255() -> None:
    nets = [net.float() for net in networks()]
    x = torch.randint(0, 256, (TRACKS, 5, 3, 8, 8)).to(torch.uint8)
    stack = Stack(nets)
    stack.eval()
    torch.testing.assert_close(stack(x), stack(x.float() / 255))
    torch.testing.assert_close(nets[1].eval()(x[1]), nets[1](x[1].float() / 255))


@pytest.mark.parametrize("tracks", [1, 6, 24, 25, 50])
@pytest.mark.parametrize("stride", [1, 2])
def test_dense_convolutions_are_the_grouped_one(tracks: int, stride: int) -> None:
    weight, x = torch.randn(tracks, 4, 2, 3, 3), torch.randn(2, 2 * tracks, 8, 8)
    dense = dense_convolution(x, weight, stride, 1)
    grouped = torch.nn.functional.conv2d(x, weight.flatten(0, 1), stride=stride, padding=1, groups=tracks)
    torch.testing.assert_close(dense, grouped)


def test_all_networks_may_see_the_same_images() -> None:
    nets, x = networks(), images()[0]
    stack = {name: torch.stack([net.state_dict()[name] for net in nets]) for name in nets[0].state_dict()}
    raw = grouped_forward(nets[0], stack, x, training=False)
    for track, net in enumerate(nets):
        torch.testing.assert_close(raw[track], net.eval()(x))


def test_networks_may_differ_in_their_outputs() -> None:
    nets = [ResNet(8, outputs, 4).double() for outputs in (3, 7)]
    x = torch.randn(2, 5, 3, 8, 8, dtype=torch.float64)
    stack = Stack(nets)
    raw = stack(x)
    assert raw.shape == (2, 5, 7)
    torch.testing.assert_close(raw[0, :, :3], copy.deepcopy(nets[0]).train()(x[0]))
    torch.testing.assert_close(raw[1], copy.deepcopy(nets[1]).train()(x[1]))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_what_is_asked_at_length_runs_through_kernels_of_its_own() -> None:
    networks = [ResNet(8, 4).cuda().eval() for _ in range(3)]
    tensors = {name: torch.stack([n.state_dict()[name] for n in networks]) for name in networks[0].state_dict()}
    x = torch.rand(16, 3, 32, 32, device="cuda")
    with torch.no_grad(), fused():
        compiled = grouped_forward(networks[0], tensors, x, training=False)
        torch.testing.assert_close(compiled, torch.stack([network(x) for network in networks]), rtol=1e-3, atol=1e-4)


def test_fusing_leaves_a_cpu_alone() -> None:
    network = ResNet(8, 4).eval()
    tensors = {name: tensor.unsqueeze(0) for name, tensor in network.state_dict().items()}
    x = torch.rand(2, 3, 32, 32)
    with torch.no_grad():
        plain = grouped_forward(network, tensors, x, training=False)
        with fused():
            assert torch.equal(grouped_forward(network, tensors, x, training=False), plain)
