"""A stack runs every network on inputs of its own."""

import copy

import pytest
import torch
from torch import Tensor, nn

from endd.nn import MLP, ResNet
from endd.training.stack import Stack


class Wider(MLP):
    """A network of one's own that does more than its parent."""

    def forward(self, x: Tensor) -> Tensor:
        return 2 * super().forward(x)


class Named(nn.Module):
    """Arguments by name, a dict as the answer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, *, a: Tensor, b: Tensor) -> dict[str, Tensor]:
        return {"logits": self.layer(a + 2 * b), "hidden": a}


def normed() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 2))


def with_norm_inside() -> MLP:
    net = MLP(3, [4], 2)
    net.layers.insert(1, nn.BatchNorm1d(4))
    return net


def with_dropout_inside() -> MLP:
    net = MLP(3, [4], 2)
    net.layers.insert(1, nn.Dropout(1.0))
    return net


def hooked() -> MLP:
    net = MLP(3, [4], 2)
    net.layers[0].register_forward_hook(lambda layer, given, result: 2 * result)
    return net


def without_bias() -> MLP:
    net = MLP(3, [4], 2)
    net.layers[0] = nn.Linear(3, 4, bias=False)
    return net


MAKERS = {
    "mlp": lambda: MLP(3, [8, 5], 2),
    "mlp-tanh": lambda: MLP(3, [8], 2, activation="tanh"),
    "no-hidden-layer": lambda: MLP(3, [], 2),
    "own-forward": lambda: Wider(3, [8], 2),
    "mlp-with-batch-norm": with_norm_inside,
    "mlp-without-bias": without_bias,
    "mlp-with-dropout": with_dropout_inside,
    "batch-norm": normed,
    "resnet": lambda: nn.Sequential(nn.Unflatten(1, (3, 1, 1)), nn.Upsample(scale_factor=4), ResNet(8, 2, 2)),
}


@pytest.mark.parametrize("training", [True, False], ids=["training", "eval"])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("tracks", [1, 3])
def test_every_track_is_its_network(make, tracks: int, training: bool) -> None:  # type: ignore[no-untyped-def]
    nets, x = [make() for _ in range(tracks)], torch.randn(tracks, 6, 3)
    stack = Stack(copy.deepcopy(nets)).train(training)
    expected = torch.stack([net.train(training)(rows) for net, rows in zip(nets, x, strict=True)])
    torch.testing.assert_close(stack(x), expected, rtol=1e-4, atol=1e-5)


def test_a_single_network_may_carry_hooks() -> None:
    net, x = hooked(), torch.randn(6, 3)
    torch.testing.assert_close(Stack([net])(x.unsqueeze(0))[0], net(x))


def test_rows_may_be_sequences() -> None:
    nets, x = [MLP(3, [4], 2) for _ in range(2)], torch.randn(2, 6, 5, 3)
    torch.testing.assert_close(Stack(nets)(x), torch.stack([net(rows) for net, rows in zip(nets, x, strict=True)]))


def test_an_output_function_applies_to_an_mlp_too() -> None:
    nets, x = [MLP(3, [4], 2) for _ in range(2)], torch.randn(2, 6, 3)
    torch.testing.assert_close(Stack(nets, lambda z: z.flip(-1))(x), Stack(nets)(x).flip(-1))


def test_gradients_reach_every_track() -> None:
    nets, x = [normed() for _ in range(3)], torch.randn(3, 6, 3)
    stack = Stack(copy.deepcopy(nets)).train()
    stack(x).square().sum().backward()
    for track, net in enumerate(nets):
        net(x[track]).square().sum().backward()
        for stacked, parameter in zip(stack.stacked, net.parameters(), strict=True):
            torch.testing.assert_close(stacked.grad[track], parameter.grad, rtol=1e-4, atol=1e-5)


def test_running_statistics_of_batch_norm_belong_to_each_track() -> None:
    nets, x = [normed() for _ in range(3)], torch.randn(3, 6, 3)
    copies = copy.deepcopy(nets)
    stack = Stack(nets).train()
    for _ in range(2):
        stack(x)
    stack.unstack()
    for net, other, rows in zip(nets, copies, x, strict=True):
        other.train()(rows)
        other(rows)
        torch.testing.assert_close(dict(net.named_buffers()), dict(other.named_buffers()))


def test_dropout_differs_from_track_to_track_and_is_off_in_eval() -> None:
    net = nn.Sequential(nn.Linear(3, 50), nn.Dropout(0.5))
    stack = Stack([net, copy.deepcopy(net)])
    x = torch.randn(1, 6, 3).expand(2, 6, 3)
    first, second = stack.train()(x)
    assert not torch.equal(first, second)
    assert 0.3 < float((first == 0).float().mean()) < 0.7
    first, second = stack.eval()(x)
    assert torch.equal(first, second)
    torch.testing.assert_close(first, net.eval()(x[0]))


def test_what_vmap_refuses_runs_track_by_track(looking: type[nn.Module]) -> None:
    nets, x = [looking() for _ in range(3)], torch.randn(3, 6, 2)
    copies, stack = copy.deepcopy(nets), Stack(nets).train()
    stack(x).square().sum().backward()
    stack.unstack()
    for track, (net, other) in enumerate(zip(nets, copies, strict=True)):
        other(x[track]).square().sum().backward()
        torch.testing.assert_close(dict(net.named_buffers()), dict(other.named_buffers()))
        for stacked, parameter in zip(stack.stacked, other.parameters(), strict=True):
            torch.testing.assert_close(stacked.grad[track], parameter.grad)
        torch.testing.assert_close(stack.eval()(x)[track], other.eval()(x[track]))


def test_trying_vmap_leaves_no_trace() -> None:
    nets, x = [nn.Sequential(normed(), nn.Dropout(0.5)) for _ in range(2)], torch.randn(2, 6, 3)
    tried, stack = Stack(nets).train(), Stack(nets).train()
    tried(x)
    torch.manual_seed(1)
    again = tried(x)
    torch.manual_seed(1)
    torch.testing.assert_close(stack(x), again)
    assert stack.buffer_2.tolist() == [1, 1]


def test_a_fault_of_the_network_itself_is_told_as_it_is() -> None:
    with pytest.raises(RuntimeError, match=r"mat1 and mat2 shapes cannot be multiplied \(6x4 and 3x4\)"):
        Stack([normed(), normed()])(torch.randn(2, 6, 4))


def test_inputs_have_names_and_the_output_is_picked() -> None:
    nets = [Named() for _ in range(3)]
    a, b = torch.randn(2, 3, 6, 3)
    expected = torch.stack([net(a=a[j], b=b[j])["logits"] for j, net in enumerate(nets)])
    torch.testing.assert_close(Stack(nets, "logits")({"a": a, "b": b}), expected)


def test_unstack_copies_every_track_into_its_network_and_nothing_before() -> None:
    nets = [MLP(3, [4], 2) for _ in range(3)]
    before = copy.deepcopy(nets)
    stack = Stack(nets)
    with torch.no_grad():
        for tensor in stack.stacked:
            tensor.add_(torch.arange(3.0).reshape(-1, *[1] * (tensor.ndim - 1)))
    assert all(torch.equal(p, q) for p, q in zip(nets[2].parameters(), before[2].parameters(), strict=True))
    stack.unstack()
    for track, (net, old) in enumerate(zip(nets, before, strict=True)):
        assert all(torch.equal(p, q + track) for p, q in zip(net.parameters(), old.parameters(), strict=True))


def test_the_mode_of_the_networks_stays_as_it_was() -> None:
    net = normed().eval()
    Stack([net, copy.deepcopy(net)]).train()(torch.randn(2, 6, 3))
    assert not any(part.training for part in net.modules())


def test_frozen_parameters_stay_frozen() -> None:
    nets = [MLP(3, [4], 2) for _ in range(2)]
    for net in nets:
        net.layers[0].requires_grad_(False)
    assert [p.requires_grad for p in Stack(nets).stacked] == [False, False, True, True]


def test_networks_of_different_kinds_are_refused() -> None:
    with pytest.raises(ValueError, match="networks of the same class, settings and shapes"):
        Stack([MLP(3, [4], 2), MLP(3, [4], 2, activation="tanh")])


def test_mlps_may_differ_in_their_outputs() -> None:
    networks = [MLP(3, [4], outputs) for outputs in (2, 5, 1)]
    before = copy.deepcopy(networks)
    stack, x = Stack(networks), torch.randn(3, 7, 3)
    raw = stack(x)
    assert raw.shape == (3, 7, 5)
    for track, network in enumerate(before):
        own = network(x[track])
        torch.testing.assert_close(raw[track, :, : own.shape[1]], own)
        assert not raw[track, :, own.shape[1] :].any()
    with torch.no_grad():
        stack.stacked[-1].add_(1)
    stack.unstack()
    for network, old in zip(networks, before, strict=True):
        torch.testing.assert_close(network.layers[-1].bias, old.layers[-1].bias + 1)
        assert torch.equal(network.layers[-1].weight, old.layers[-1].weight)


@pytest.mark.parametrize("other", [MLP(3, [5], 1), MLP(3, [4], 1, "tanh"), MLP(2, [4], 1), MLP(3, [4], 1).double()])
def test_mlps_that_differ_in_more_are_refused(other: MLP) -> None:
    with pytest.raises(ValueError, match="same class, settings and shapes"):
        Stack([MLP(3, [4], 2), other])


def test_residual_networks_that_differ_in_their_dropout_are_refused() -> None:
    with pytest.raises(ValueError, match="same class, settings and shapes"):
        Stack([ResNet(8, 3, 2), ResNet(8, 4, 2, dropout=0.1)])


def test_networks_themselves_are_asked_with_the_tensors_of_their_track() -> None:
    nets = [normed() for _ in range(3)]
    stack = Stack(nets)
    found = stack.of_each(lambda net: net[0].weight.sum() + net[1].running_var.sum())  # type: ignore[index, operator]
    expected = [net[0].weight.sum() + net[1].running_var.sum() for net in nets]  # type: ignore[index]
    torch.testing.assert_close(found, torch.stack(expected))
