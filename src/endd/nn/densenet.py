"""The dense network for 32 x 32 images of Huang et al. 2017, with bottlenecks and half the channels between stages."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d, relu

from endd.nn.resnet import both_sides, channels_last, one_answer, unit_range

# Channels of a bottleneck as a multiple of those that a layer adds, and of the first layer as one of the first stage's.
BOTTLENECK, STEM = 4, 2


class DenseLayer(nn.Module):
    """Adds `growth` channels to those that there are: a 1 x 1 and a 3 x 3 convolution of all of them."""

    def __init__(self, channels: int, growth: int) -> None:
        super().__init__()
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv1 = nn.Conv2d(channels, BOTTLENECK * growth, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(BOTTLENECK * growth)
        self.conv2 = nn.Conv2d(BOTTLENECK * growth, growth, 3, padding=1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """(B, C, H, W) -> (B, C + growth, H, W)."""
        new = self.conv2(relu(self.norm2(self.conv1(relu(self.norm1(x))))))
        return torch.cat([x, new], 1)


class Transition(nn.Module):
    """Half the channels, half the height and half the width."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)
        self.conv = nn.Conv2d(channels, channels // 2, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """(B, C, H, W) -> (B, C / 2, H / 2, W / 2)."""
        return avg_pool2d(self.conv(relu(self.norm(x))), 2)


class DenseNet(nn.Module):
    """Stages of so many layers, each of which sees all before it in its stage and adds `growth` channels.

    Huang et al. find it more accurate than a residual network of as many parameters. Images may be uint8: these are
    divided by 255. symmetric: as for `ResNet`. DenseNet-BC of 100 layers, which add 12 channels each, has 0.77 M
    parameters:

    >>> sum(p.numel() for p in DenseNet((16, 16, 16), 12, 10).parameters())
    769162
    """

    def __init__(self, layers: Sequence[int], growth: int, outputs: int, *, symmetric: bool = False) -> None:
        super().__init__()
        if not layers or min(*layers, growth) < 1:
            raise ValueError(f"Expected stages of one or more `layers` and a `growth`, but got {layers} and {growth}.")
        #: What it takes to build the same network again, with other weights.
        self.architecture: dict[str, Any] = {"layers": list(layers), "growth": growth, "outputs": outputs}
        self.symmetric = symmetric
        if symmetric:
            self.architecture["symmetric"] = True
        channels = STEM * growth
        self.stem = nn.Conv2d(3, channels, 3, padding=1, bias=False)
        blocks: list[nn.Module] = []
        for stage, count in enumerate(layers):
            if stage > 0:
                blocks.append(Transition(channels))
                channels //= 2
            blocks += [DenseLayer(channels + growth * layer, growth) for layer in range(count)]
            channels += growth * count
        self.blocks = nn.Sequential(*blocks)
        self.norm = nn.BatchNorm2d(channels)
        self.head = nn.Linear(channels, outputs)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")

    def forward(self, x: Tensor) -> Tensor:
        """(B, 3, 32, 32) -> (B, outputs)."""
        pixels = channels_last(unit_range(both_sides(x, self.symmetric), self.stem.weight.dtype))
        seen = torch.mean(relu(self.norm(self.blocks(self.stem(pixels)))), (2, 3))
        out: Tensor = self.head(one_answer(seen, self.symmetric))
        return out
