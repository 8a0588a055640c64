"""Residual networks side by side: the channels of all of them next to each other, each network a group.

A convolution of J networks is then one grouped convolution, and a batch norm of J networks is one over all channels,
whose statistics are each network's own. Both are kernels that GPUs know well, in the layout that they like best:
channels last.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm, conv2d, pad

from endd.nn import ResNet
from endd.nn.resnet import Block, unit_range


def takes_groups(network: nn.Module) -> bool:
    """Whether this is a ResNet as it was made, nothing added or hooked on."""
    return type(network) is ResNet and not any(p._forward_hooks or p._forward_pre_hooks for p in network.modules())


def grouped_forward(template: ResNet, tensors: dict[str, Tensor], x: Tensor, training: bool) -> Tensor:
    """J residual networks: x (J, B, C, H, W) -> (J, B, R), each on images of its own.

    template: a network of the kind. tensors: parameters and buffers by name, tracks first. In training the running
    statistics among them move.
    """
    tracks = len(x)
    here = _Grouped(tensors, tracks, training)
    h = unit_range(x, tensors["stem.weight"]).movedim(0, 1).flatten(1, 2)
    h = h.contiguous(memory_format=torch.channels_last)
    h = here.norm(here.convolution(h, "stem", template.stem), "norm", template.norm).relu_()
    for number, block in enumerate(template.blocks):
        assert isinstance(block, Block)
        h = here.block(h, f"blocks.{number}", block)
    features = h.mean((2, 3)).unflatten(1, (tracks, -1)).movedim(1, 0)
    return torch.baddbmm(tensors["head.bias"].unsqueeze(1), features, tensors["head.weight"].mT)


class _Grouped:
    """Layers of all tracks as one, on (B, J C, H, W)."""

    def __init__(self, tensors: dict[str, Tensor], tracks: int, training: bool) -> None:
        self.tensors, self.tracks, self.training = tensors, tracks, training

    def convolution(self, h: Tensor, name: str, layer: nn.Conv2d) -> Tensor:
        """A grouped convolution without bias."""
        weight = self.tensors[f"{name}.weight"].flatten(0, 1)
        return conv2d(h, weight, stride=layer.stride, padding=layer.padding, groups=self.tracks)

    def norm(self, h: Tensor, name: str, layer: nn.BatchNorm2d) -> Tensor:
        """Batch norm over all channels; views of the running statistics are updated in place."""
        mean, var, weight, bias = (
            self.tensors[f"{name}.{part}"].flatten() for part in ("running_mean", "running_var", "weight", "bias")
        )
        if self.training:
            self.tensors[f"{name}.num_batches_tracked"] += 1
        assert layer.momentum is not None
        return batch_norm(h, mean, var, weight, bias, self.training, layer.momentum, layer.eps)

    def block(self, x: Tensor, name: str, layer: Block) -> Tensor:
        """Two convolutions and a shortcut."""
        h = self.norm(self.convolution(x, f"{name}.conv1", layer.conv1), f"{name}.norm1", layer.norm1).relu_()
        h = self.norm(self.convolution(h, f"{name}.conv2", layer.conv2), f"{name}.norm2", layer.norm2)
        return (h + self._shortcut(x, layer)).relu_()

    def _shortcut(self, x: Tensor, layer: Block) -> Tensor:
        """x itself; where the shape changes, strided, with each network's channels padded by zeros."""
        if layer.stride == 1 and layer.new_channels == 0:
            return x
        half = layer.new_channels // 2
        near = x[:, :, :: layer.stride, :: layer.stride].unflatten(1, (self.tracks, -1))
        padded: Tensor = pad(near, (0, 0, 0, 0, half, layer.new_channels - half)).flatten(1, 2)
        return padded.contiguous(memory_format=torch.channels_last)
