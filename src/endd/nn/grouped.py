"""Convolutional networks side by side: the channels of all of them next to each other, each network a group.

A convolution of J networks is then one grouped convolution, and a batch norm of J networks is one over all channels,
whose statistics are each network's own. Both are kernels that GPUs know well, in the layout that they like best:
channels last.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d, batch_norm, conv2d, dropout, pad, softplus
from torch.utils._triton import has_triton

from endd.nn.densenet import DenseLayer, DenseNet, Transition
from endd.nn.masked import MaskedDropout
from endd.nn.resnet import Block, ResNet, both_sides, one_answer, unit_range
from endd.nn.variational import Variational, VariationalConv2d, VariationalLinear, signs

# On a GPU a grouped convolution that changes the number of channels is several times slower than a dense one whose
# weights are 0 between networks, up to about so many of them.
MERGED_AT_MOST = 24
MOST_SHAPES = 128
#: Networks that are known here.
KNOWN = (ResNet, DenseNet)
# What they are made of.
PARTS = {
    *(*KNOWN, Block, DenseLayer, Transition),
    *(nn.Sequential, nn.Conv2d, nn.BatchNorm2d, nn.Linear, nn.Dropout, MaskedDropout, nn.Identity),
}
UNCERTAIN_PARTS = {VariationalConv2d, VariationalLinear}
_fusing: ContextVar[bool] = ContextVar("fusing", default=False)


@contextmanager
def fused() -> Iterator[None]:
    """Let all that is asked within run as with `fuse`: for whoever asks about many rows, in parts of one size."""
    before = _fusing.set(True)
    try:
        yield
    finally:
        _fusing.reset(before)


def takes_groups(network: nn.Module) -> bool:
    """Whether this is one of `KNOWN` as it was made, or a `Variational` one: nothing exchanged, added or hooked on.

    Those whose norms are in their convolutions (see `folded`) are others.
    """
    uncertain = type(network) is Variational
    known = PARTS | UNCERTAIN_PARTS if uncertain else PARTS
    inner: Any = network.net if uncertain else network
    hooked = any(part._forward_hooks or part._forward_pre_hooks for part in network.modules())
    biased = any(isinstance(part, nn.Conv2d) and part.bias is not None for part in network.modules())
    same = not hooked and not biased and all(type(part) in known for part in inner.modules())
    return type(inner) in KNOWN and same


def grouped_forward(
    template: ResNet | DenseNet | Variational,
    tensors: dict[str, Tensor],
    x: Tensor,
    training: bool,
    fuse: bool = False,
) -> Tensor:
    """J networks of a kind: x (J, B, C, H, W), each its own images, or (B, C, H, W), all the same -> (J, B, R).

    template: a network of the kind. tensors: parameters and buffers by name, tracks first. In training the running
    statistics among them move. fuse: on a GPU, compile what stands between convolutions into kernels of its own; that
    takes seconds for every new shape, which a long run earns back.
    """
    if isinstance(template, Variational):
        template, tensors = template.net, {name.removeprefix("net."): t for name, t in tensors.items()}  # type: ignore[assignment]
    fuse = fuse or (_fusing.get() and x.is_cuda and has_triton())
    here = _Grouped(tensors, len(tensors["stem.weight"]), training, compiled() if fuse else norm_and_relu)
    assert isinstance(template, KNOWN)
    x = both_sides(x, template.symmetric)
    maps = here.dense(x, template) if isinstance(template, DenseNet) else here.residual(x, template)
    features = one_answer(maps.mean((2, 3)), template.symmetric)
    if isinstance(template, ResNet):
        features = here.drop(features, template.head_dropout)
    features = features.unflatten(1, (here.tracks, -1)).movedim(1, 0)
    if training:
        torch._foreach_add_([t for name, t in tensors.items() if name.endswith("num_batches_tracked")], 1)
    return here.head(features)


class _Grouped:
    """Layers of all tracks as one, on (B, J C, H, W)."""

    def __init__(
        self, tensors: dict[str, Tensor], tracks: int, training: bool, norm_and_relu: Callable[..., Tensor]
    ) -> None:
        self.tensors, self.tracks, self.training, self.norm_and_relu = tensors, tracks, training, norm_and_relu

    def residual(self, x: Tensor, template: ResNet) -> Tensor:
        """All but the head of a ResNet."""
        h = self.norm(self.stem(x), "norm", template.norm)
        for number, block in enumerate(template.blocks):
            assert isinstance(block, Block)
            h = self.block(h, f"blocks.{number}", block)
        return h

    def dense(self, x: Tensor, template: DenseNet) -> Tensor:
        """All but the head of a DenseNet."""
        h = self.stem(x)
        for number, part in enumerate(template.blocks):
            name = f"blocks.{number}"
            if isinstance(part, DenseLayer):
                new = self.convolution(self.norm(h, f"{name}.norm1", part.norm1), f"{name}.conv1", 1)
                new = self.convolution(self.norm(new, f"{name}.norm2", part.norm2), f"{name}.conv2", 1)
                h = self._beside(h, new)
            else:
                assert isinstance(part, Transition)
                h = avg_pool2d(self.convolution(self.norm(h, f"{name}.norm", part.norm), f"{name}.conv", 1), 2)
        return self.norm(h, "norm", template.norm)

    def _beside(self, h: Tensor, new: Tensor) -> Tensor:
        """The channels of both, each network's together."""
        # with channels last, as they lie in memory, so that each number is copied once
        parts = [part.permute(0, 2, 3, 1).unflatten(-1, (self.tracks, -1)) for part in (h, new)]
        return torch.cat(parts, -1).flatten(-2).permute(0, 3, 1, 2)

    def stem(self, x: Tensor) -> Tensor:
        """The first convolution, on pixels or numbers."""
        weight = self.tensors["stem.weight"]
        dtype = torch.get_autocast_dtype(x.device.type) if torch.is_autocast_enabled(x.device.type) else weight.dtype
        if x.ndim == 4:
            shared = unit_range(x, dtype).contiguous(memory_format=torch.channels_last)
            return conv2d(shared, weight.flatten(0, 1), padding=1)
        # the copy is of pixels, while they are small
        rows = unit_range(x.permute(1, 3, 4, 0, 2).flatten(3), dtype)
        return self.convolution(rows.movedim(3, 1), "stem", 1)

    def head(self, features: Tensor) -> Tensor:
        """The last layer, (J, B, C) -> (J, B, R)."""
        bias, weight = self.tensors["head.bias"].unsqueeze(1), self.tensors["head.weight"]
        out = torch.baddbmm(bias, features, weight.mT)
        noise = self._noise("head")
        return out if noise is None else out + signs(out, 0) * torch.bmm(features * signs(features, 0), noise.mT)

    def convolution(self, h: Tensor, name: str, stride: int) -> Tensor:
        """A convolution of every network, without bias, as large as its input or smaller by the stride."""
        out, noise = self._convolved(h, self.tensors[f"{name}.weight"], stride), self._noise(name)
        # signs of every row and channel, and so of every network, on their own
        return out if noise is None else out + signs(out, 2) * self._convolved(h * signs(h, 2), noise, stride)

    def _noise(self, name: str) -> Tensor | None:
        """What is added to uncertain weights in training: see `MeanField`."""
        raw = self.tensors.get(f"{name}.raw_scale")
        return None if raw is None or not self.training else softplus(raw) * torch.randn_like(raw)

    def _convolved(self, h: Tensor, weight: Tensor, stride: int) -> Tensor:
        padding = weight.shape[-1] // 2
        if h.is_cuda and weight.shape[1] != weight.shape[2]:
            return dense_convolution(h, weight, stride=stride, padding=padding)
        grouped = weight.flatten(0, 1).contiguous(memory_format=torch.channels_last)
        return conv2d(h, grouped, stride=stride, padding=padding, groups=self.tracks)

    def norm(self, h: Tensor, name: str, layer: nn.BatchNorm2d, shortcut: Tensor | None = None) -> Tensor:
        """Batch norm over all channels, the shortcut, ReLU; views of the running statistics are updated in place."""
        statistics = (
            self.tensors[f"{name}.{part}"].flatten() for part in ("running_mean", "running_var", "weight", "bias")
        )
        assert layer.momentum is not None
        return self.norm_and_relu(h, shortcut, *statistics, self.training, layer.momentum, layer.eps)

    def block(self, x: Tensor, name: str, layer: Block) -> Tensor:
        """Two convolutions and a shortcut."""
        h = self.convolution(self.drop(x, layer.dropout1), f"{name}.conv1", layer.stride)
        h = self.norm(h, f"{name}.norm1", layer.norm1)
        h = self.convolution(self.drop(h, layer.dropout2), f"{name}.conv2", 1)
        return self.norm(h, f"{name}.norm2", layer.norm2, self._shortcut(x, layer))

    def drop(self, h: Tensor, layer: nn.Module) -> Tensor:
        """Dropout; every number falls on its own, so those of one network say nothing of another's.

        Where masks are fixed, each network has that of its draw.
        """
        if isinstance(layer, MaskedDropout):
            kept = layer.factors((h.shape[1] // self.tracks, *h.shape[2:]), h).flatten(0, 1).unsqueeze(0)
            return h * (kept.contiguous(memory_format=torch.channels_last) if h.ndim == 4 else kept)
        return dropout(h, layer.p) if self.training and isinstance(layer, nn.Dropout) else h

    def _shortcut(self, x: Tensor, layer: Block) -> Tensor:
        """x itself; where the shape changes, strided, with each network's channels padded by zeros."""
        if layer.stride == 1 and layer.new_channels == 0:
            return x
        half = layer.new_channels // 2
        if x.is_cuda and x.dtype.itemsize == 2:
            return self._picked(x, layer.stride, half, layer.new_channels - half)
        near = x[:, :, :: layer.stride, :: layer.stride].unflatten(1, (self.tracks, -1))
        padded: Tensor = pad(near, (0, 0, 0, 0, half, layer.new_channels - half)).flatten(1, 2)
        return padded.contiguous(memory_format=torch.channels_last)

    def _picked(self, x: Tensor, stride: int, before: int, after: int) -> Tensor:
        """The same as a convolution with ones and zeros, exact in half precision, where strided copies are slow."""
        channels = x.shape[1] // self.tracks
        same = torch.eye(channels, dtype=x.dtype, device=x.device)
        one = pad(same, (0, 0, before, after)).reshape(1, -1, channels, 1, 1)
        return dense_convolution(x, one.expand(self.tracks, -1, -1, -1, -1), stride=stride, padding=0)


def norm_and_relu(
    h: Tensor,
    shortcut: Tensor | None,
    mean: Tensor,
    var: Tensor,
    weight: Tensor,
    bias: Tensor,
    training: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """relu(batch_norm(h) + shortcut)."""
    h = batch_norm(h, mean, var, weight, bias, training, momentum, eps)
    return (h if shortcut is None else h + shortcut).relu_()


@cache
def compiled() -> Callable[..., Tensor]:
    """`norm_and_relu` as kernels that read and write each number once."""
    work: Callable[..., Tensor] = torch.compile(norm_and_relu, dynamic=False)

    def run(*arguments: Any) -> Tensor:
        # a shape for every stage of every kind of run: more than the few that are allowed by default
        with torch._dynamo.config.patch(recompile_limit=MOST_SHAPES):
            return work(*arguments)

    return run


def dense_convolution(h: Tensor, weight: Tensor, stride: int, padding: int) -> Tensor:
    """Convolutions of J networks, h (B, J I, H, W) and weight (J, O, I, h, w), as dense ones of as many as pay."""
    tracks, _, inputs, *_ = weight.shape
    size = -(-tracks // -(-tracks // MERGED_AT_MOST))  # parts of one size, or nearly
    parts = zip(h.split(size * inputs, 1), weight.split(size), strict=True)
    merged = [conv2d(images, block_diagonal(part), stride=stride, padding=padding) for images, part in parts]
    return merged[0] if len(merged) == 1 else torch.cat(merged, 1)


def block_diagonal(weight: Tensor) -> Tensor:
    """Weights (J, O, I, h, w) as those of one convolution (J O, J I, h, w): zeros between networks."""
    tracks, outputs, inputs, *size = weight.shape
    own = torch.eye(tracks, dtype=weight.dtype, device=weight.device).reshape(tracks, 1, tracks, 1, 1, 1)
    spread = (weight.unsqueeze(2) * own).reshape(tracks * outputs, tracks * inputs, *size)
    return spread.contiguous(memory_format=torch.channels_last)
