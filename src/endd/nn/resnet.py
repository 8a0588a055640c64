"""The residual network for 32 x 32 images of He et al. 2016, section 4.2."""

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, relu


def unit_range(images: Tensor, dtype: torch.dtype) -> Tensor:
    """Pixels 0 to 255 as numbers from 0 to 1; floating point images as they are."""
    return images if images.is_floating_point() else images.to(dtype) / 255


def channels_last(images: Tensor) -> Tensor:
    """The same images in the layout that convolutions like best, on CPUs and GPUs; what comes after keeps it."""
    # not by memory_format, which torch.vmap refuses
    return images.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)


def both_sides(images: Tensor, symmetric: bool) -> Tensor:
    """Images (..., B, C, H, W), and behind them for a symmetric network their mirror images, 2 B rows."""
    return torch.cat([images, images.flip(-1)], -4) if symmetric else images


def one_answer(features: Tensor, symmetric: bool) -> Tensor:
    """Features (2 B, F) of images and their mirror images as the means of both, (B, F)."""
    return features.unflatten(0, (2, -1)).mean(0) if symmetric else features


def dropping(rate: float) -> nn.Module:
    """Dropout at a rate, or nothing."""
    return nn.Dropout(rate) if rate else nn.Identity()


class Block(nn.Module):
    """Two 3 x 3 convolutions and a shortcut; where the shape changes, the shortcut strides and pads with zeros.

    dropout: the rate at which inputs of both convolutions are dropped; the shortcut keeps them.
    """

    def __init__(self, channels_in: int, channels_out: int, stride: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels_in, channels_out, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels_out)
        self.conv2 = nn.Conv2d(channels_out, channels_out, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels_out)
        self.dropout1, self.dropout2 = dropping(dropout), dropping(dropout)
        self.stride, self.new_channels = stride, channels_out - channels_in

    def forward(self, x: Tensor) -> Tensor:
        """(B, C, H, W) -> (B, C', H / stride, W / stride)."""
        out = relu(self.norm1(self.conv1(self.dropout1(x))))
        out = self.norm2(self.conv2(self.dropout2(out)))
        if self.stride > 1 or self.new_channels:
            half = self.new_channels // 2
            x = pad(x[:, :, :: self.stride, :: self.stride], (0, 0, 0, 0, half, self.new_channels - half))
        return relu(out + x)


class ResNet(nn.Module):
    """depth = 6 n + 2 layers in three stages of `width`, 2 `width` and 4 `width` channels.

    ResNet(20, 10) has 0.27 M parameters. `width` may be a multiple of 16 or any other number. Images may be uint8:
    these are divided by 255.

    dropout: the rate before every convolution but the first (Ovadia et al. 2019 also have it there, on the pixels, and
    as an option not). head_dropout: the rate before the last layer. Both drop number by number, not whole channels.
    symmetric: whether it looks at every image and at its mirror image and gives the mean of both, with the same
    parameters and for twice the work; see `endd.nn.symmetric`.

    >>> sum(p.numel() for p in ResNet(20, 10).parameters())
    269722
    """

    def __init__(
        self,
        depth: int,
        outputs: int,
        width: int = 16,
        *,
        dropout: float = 0.0,
        head_dropout: float = 0.0,
        symmetric: bool = False,
    ) -> None:
        super().__init__()
        blocks, rest = divmod(depth - 2, 6)
        if rest or blocks < 1:
            raise ValueError(f"Expected a depth of 6 n + 2 (8, 14, 20, 32, ...), but got {depth}.")
        #: What it takes to build the same network again, with other weights.
        self.architecture: dict[str, float] = {"depth": depth, "outputs": outputs, "width": width}
        for name, rate in (("dropout", dropout), ("head_dropout", head_dropout)):
            if not 0 <= rate < 1:
                raise ValueError(f"Expected `{name}` from 0 to below 1, but got {rate}.")
            if rate:
                self.architecture[name] = rate
        self.symmetric = symmetric
        if symmetric:
            self.architecture["symmetric"] = True
        self.stem = nn.Conv2d(3, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        stages, channels = [], width
        for stage in range(3):
            for block in range(blocks):
                out = width * 2**stage
                stages.append(Block(channels, out, 2 if stage > 0 and block == 0 else 1, dropout))
                channels = out
        self.blocks = nn.Sequential(*stages)
        self.head_dropout = dropping(head_dropout)
        self.head = nn.Linear(channels, outputs)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: Tensor) -> Tensor:
        """(B, 3, 32, 32) -> (B, outputs)."""
        pixels = channels_last(unit_range(both_sides(x, self.symmetric), self.stem.weight.dtype))
        seen = torch.mean(self.blocks(relu(self.norm(self.stem(pixels)))), (2, 3))
        out: Tensor = self.head(self.head_dropout(one_answer(seen, self.symmetric)))
        return out
