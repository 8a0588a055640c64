"""MLPs side by side as batched matrix products, forwards and backwards, in memory that is used again and again.

Small networks spend their time around the arithmetic: on fresh memory for every activation, and on matrix products
whose last dimension is short. Here activations lie features first, (J, H, B), so that it is the batch; each weight's
gradient is formed with its longer side last; and hidden activations live in memory that the next step takes over.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from endd.nn import MLP
from endd.nn.mlp import KinkedAndSmooth

aten = torch.ops.aten


@dataclass(frozen=True)
class Slope:
    """How an activation runs and turns back in place.

    forward: (a, h) fills h from a; where `keeps_input` is false, h is a. backward: (g, kept) turns g, the gradient of
    h, into that of a, from a or h, whichever was kept.
    """

    forward: Callable[[Tensor, Tensor], Tensor]
    backward: Callable[[Tensor, Tensor], Tensor]
    keeps_input: bool = False


def _both_forward(a: Tensor, h: Tensor) -> Tensor:
    half = a.shape[1] // 2
    torch.clamp_min(a[:, :half], 0, out=h[:, :half])
    aten.gelu.out(a[:, half:], out=h[:, half:])
    return h


def _both_backward(g: Tensor, a: Tensor) -> Tensor:
    half = a.shape[1] // 2
    kinked, smooth = g[:, :half], g[:, half:]
    aten.threshold_backward.grad_input(kinked, a[:, :half], 0, grad_input=kinked)
    aten.gelu_backward.grad_input(smooth, a[:, half:], grad_input=smooth)
    return g


SLOPES: dict[type[nn.Module], Slope] = {
    nn.ReLU: Slope(lambda a, h: a.relu_(), lambda g, h: aten.threshold_backward.grad_input(g, h, 0, grad_input=g)),
    nn.Tanh: Slope(lambda a, h: a.tanh_(), lambda g, h: aten.tanh_backward.grad_input(g, h, grad_input=g)),
    nn.SiLU: Slope(
        lambda a, h: aten.silu.out(a, out=h), lambda g, a: aten.silu_backward.grad_input(g, a, grad_input=g), True
    ),
    nn.GELU: Slope(
        lambda a, h: aten.gelu.out(a, out=h), lambda g, a: aten.gelu_backward.grad_input(g, a, grad_input=g), True
    ),
    KinkedAndSmooth: Slope(_both_forward, _both_backward, True),
}


class Workspace:
    """Memory by shape: a lease gives it back when the graph that holds the lease is gone."""

    def __init__(self) -> None:
        self.free: dict[Any, list[Tensor]] = {}

    def lease(self) -> "Lease":
        """Memory for one forward and backward pass."""
        return Lease(self)


class Lease:
    """Tensors out of a workspace, back in it when nobody needs them."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._taken = workspace, list[tuple[Any, Tensor]]()

    def take(self, shape: tuple[int, ...], like: Tensor) -> Tensor:
        """A tensor with anything in it."""
        key = (shape, like.dtype)
        free = self._workspace.free.setdefault(key, [])
        tensor = free.pop() if free else like.new_empty(shape)
        self._taken.append((key, tensor))
        return tensor

    def __del__(self) -> None:
        for key, tensor in self._taken:
            self._workspace.free[key].append(tensor)


class DenseStack(torch.autograd.Function):
    """J MLPs: x (J, B, D), then weight (J, H, D) and bias (J, H) of every layer -> (J, B, R)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, lease: Lease, slope: Slope, *parameters: Tensor) -> Tensor:
        """Features first, each layer a batched product."""
        kept, h = [], x.mT
        layers = _layers(parameters)
        for weight, bias in layers[:-1]:
            a = lease.take((*weight.shape[:2], h.shape[2]), weight)
            torch.baddbmm(bias.unsqueeze(2), weight, h, out=a)
            after = lease.take(tuple(a.shape), a) if slope.keeps_input else a
            slope.forward(a, after)
            kept.append((h, a))
            h = after
        weight, bias = layers[-1]
        kept.append((h, h))
        ctx.kept, ctx.slope, ctx.lease = kept, slope, lease
        ctx.save_for_backward(*parameters)
        return torch.baddbmm(bias.unsqueeze(2), weight, h).mT

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Any:
        """The chain rule, layer by layer, from the last."""
        layers = _layers(ctx.saved_tensors)
        gradients: list[Tensor | None] = []
        g = gradient.mT.contiguous()
        for depth in reversed(range(len(layers))):
            weight, _ = layers[depth]
            h = ctx.kept[depth][0]
            gradients += [g.sum(2), _weight_gradient(g, h)]
            if depth:
                below = ctx.lease.take((*h.shape[:2], g.shape[2]), g)
                g = ctx.slope.backward(torch.bmm(weight.mT, g, out=below), ctx.kept[depth - 1][1])
        inputs = torch.bmm(layers[0][0].mT, g).mT if ctx.needs_input_grad[0] else None
        return inputs, None, None, *gradients[::-1]


def _layers(parameters: Sequence[Tensor]) -> list[tuple[Tensor, Tensor]]:
    return list(zip(parameters[::2], parameters[1::2], strict=True))


def _weight_gradient(g: Tensor, h: Tensor) -> Tensor:
    """sum_b g h', (J, out, in), from g (J, out, B) and h (J, in, B): the longer side is the product's last."""
    if h.shape[1] >= g.shape[1]:
        return torch.bmm(g, h.mT)
    return torch.bmm(h, g.mT).mT.contiguous()


def slope_of(network: nn.Module) -> Slope | None:
    """The activation of an MLP as it was made: linear layers and activations, nothing added or hooked on."""
    if type(network) is not MLP or any(p._forward_hooks or p._forward_pre_hooks for p in network.modules()):
        return None
    linear, between = list(network.layers)[::2], list(network.layers)[1::2]
    kinds = {type(layer) for layer in between}
    whole = all(type(layer) is nn.Linear and layer.bias is not None for layer in linear)
    if not whole or len(between) + 1 != len(linear) or len(kinds) > 1 or not kinds <= SLOPES.keys():
        return None
    return SLOPES[kinds.pop() if kinds else nn.ReLU]
