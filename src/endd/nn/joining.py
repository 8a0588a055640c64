"""A residual network that starts as several narrower ones side by side, whose features it then has to work with."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from endd.nn.resnet import Block, ResNet


@torch.no_grad()
def join(networks: nn.Module | Iterable[nn.Module], into: nn.Module) -> None:
    """Let a wide ResNet start as narrow ones side by side: each keeps to channels of its own, all that cross are 0.

    `into` has their depth and room for their widths, which are the same (see `fits`). Channels that are left over keep
    the random weights that they have, and say nothing to the others at first. Where it has as many outputs as they, its
    outputs are their means (over both sides, where it looks at mirror images too); else its last layer stays as it is,
    on top of the features of all. Networks that do not fit are refused before anything is changed.

    >>> narrow, wide = [ResNet(8, 10, width=4).eval() for _ in range(2)], ResNet(8, 10, width=9).eval()
    >>> join(narrow, wide)
    >>> images = torch.rand(2, 3, 32, 32)
    >>> mean = (narrow[0](images) + narrow[1](images)) / 2
    >>> torch.allclose(wide(images), mean, atol=1e-5)
    True
    """
    narrow, wide = check_fit(networks, into)
    same_outputs = narrow[0].head.out_features == wide.head.out_features
    if same_outputs:
        wide.head.weight.zero_()
        wide.head.bias.zero_()
    for number, network in enumerate(narrow):
        inputs = torch.arange(3)  # the channels that the next convolution of this network reads: at first, colours
        for (convolution, norm), (wide_convolution, wide_norm), channels in zip(
            _layers(network), _layers(wide), _channels(network, wide, number), strict=True
        ):
            wide_convolution.weight[channels] = 0.0
            wide_convolution.weight[channels[:, None], inputs] = convolution.weight.to(wide_convolution.weight)
            for name, tensor in norm.state_dict().items():
                state = wide_norm.state_dict()[name]
                state[channels if tensor.ndim else ...] = tensor.to(state)
            inputs = channels
        if same_outputs:
            wide.head.weight[:, inputs] = network.head.weight.to(wide.head.weight) / len(narrow)
            wide.head.bias.add_(network.head.bias.to(wide.head.bias) / len(narrow))


def _layers(network: ResNet) -> Iterator[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    yield network.stem, network.norm
    for block in _blocks(network):
        yield block.conv1, block.norm1
        yield block.conv2, block.norm2


def _channels(network: ResNet, wide: ResNet, number: int) -> Iterator[Tensor]:
    """Which channels of the wide network the narrow one of this number has after each convolution.

    Inside a stage they stay. Where a stage begins, a shortcut puts new channels around the old ones: in the wide
    network around those of all, so that each narrow one gets its part of the front and of the back.
    """
    width = network.stem.out_channels
    channels = number * width + torch.arange(width)
    yield channels
    for block, wide_block in zip(_blocks(network), _blocks(wide), strict=True):
        front, wide_front = block.new_channels // 2, wide_block.new_channels // 2
        back = block.new_channels - front
        after = wide_front + wide_block.conv1.in_channels + number * back
        channels = torch.cat([number * front + torch.arange(front), wide_front + channels, after + torch.arange(back)])
        yield channels
        yield channels


def _blocks(network: ResNet) -> list[Block]:
    return [block for block in network.blocks if isinstance(block, Block)]


def fits(count: int, width: int, room: int) -> bool:
    """Whether so many networks of a width have room side by side; odd ones leave a gap where a stage begins.

    >>> fits(4, 16, 64), fits(1, 3, 4), fits(2, 3, 6), fits(2, 3, 7)
    (True, True, False, True)
    """

    def behind(channels: int) -> int:
        return -(-channels // 2)  # new channels that come after the old ones, the larger half

    return count * width <= room and count * behind(width) <= behind(room)


def listed(networks: nn.Module | Iterable[nn.Module]) -> list[nn.Module]:
    """One network or any collection of them as a list; raise if it is anything else."""
    one = isinstance(networks, nn.Module) and not isinstance(networks, nn.ModuleList)
    many = isinstance(networks, Iterable) and not isinstance(networks, str | Mapping | Tensor)
    found: list[Any] = [*networks] if many and not one else [networks]  # type: ignore[misc]
    if not found or not all(isinstance(network, nn.Module) for network in found):
        given = ", ".join(dict.fromkeys(type(network).__name__ for network in found)) or "none"
        raise ValueError(f"Expected one network or more to start from, each a torch.nn.Module, but got {given}.")
    return found


def check_fit(networks: nn.Module | Iterable[nn.Module], into: nn.Module) -> tuple[list[ResNet], ResNet]:
    """The networks, if they can be joined."""
    networks = listed(networks)
    every = [network for network in (into, *networks) if isinstance(network, ResNet) and _as_made(network)]
    if len(every) <= len(networks):
        given = ", ".join(type(network).__name__ for network in (*networks, into))
        raise ValueError(f"Expected networks of type ResNet with the layers that they came with, but got {given}.")
    wide, *narrow = every
    if any(network is wide for network in narrow):
        raise ValueError("Expected a network of its own to join others into, but it is one of them. Make a new one.")
    for what in ("depth", "outputs"):
        found = {network.architecture[what] for network in (narrow if what == "outputs" else every)}
        if len(found) > 1:
            raise ValueError(f"Expected networks to be joined that are alike in `{what}`, but got {sorted(found)}.")
    if not wide.symmetric and any(network.symmetric for network in narrow):
        raise ValueError(
            "Expected networks that look at images as they are to be joined into one that does, but got some that are "
            "symmetric. Make it symmetric too."
        )
    widths, room = [network.stem.out_channels for network in narrow], wide.stem.out_channels
    said = ", ".join(map(str, widths))
    if len({*widths}) > 1 or not fits(len(widths), widths[0], room):
        odd = " with a gap beside each, as their width is odd" if widths[0] % 2 else ""
        raise ValueError(
            f"Expected networks of one width, {room} channels or less together{odd}, to be joined into one of {room}, "
            f"but got widths of {said}. Take fewer of them, or make it wider."
        )
    return narrow, wide


def _as_made(network: nn.Module) -> bool:
    """Whether this is a ResNet whose tensors are those that it came with: nothing exchanged, added or taken away."""
    if type(network) is not ResNet:
        return False
    with torch.device("meta"):
        new = ResNet(**network.architecture)  # type: ignore[arg-type]

    def shapes(of: nn.Module) -> dict[str, torch.Size]:
        return {name: tensor.shape for name, tensor in of.state_dict().items()}

    return shapes(new) == shapes(network)
