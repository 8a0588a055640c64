"""A residual network that starts as several narrower ones side by side, whose features it then has to work with."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from endd.nn.resnet import Block, ResNet


@torch.no_grad()
def join(networks: Sequence[ResNet], into: ResNet) -> None:
    """Let a wide network start as narrow ones side by side: each keeps to channels of its own, all that cross are 0.

    `into` has their depth and at least their widths together; channels that are left over keep the random weights that
    they have, and say nothing to the others at first. Where it has as many outputs as they, its outputs are their
    means; else its last layer stays as it is, on top of the features of all.

    >>> narrow, wide = [ResNet(8, 10, width=4).eval() for _ in range(2)], ResNet(8, 10, width=9).eval()
    >>> join(narrow, wide)
    >>> images = torch.rand(2, 3, 32, 32)
    >>> mean = (narrow[0](images) + narrow[1](images)) / 2
    >>> torch.allclose(wide(images), mean, atol=1e-5)
    True
    """
    _check(networks, into)
    as_many = networks[0].head.out_features == into.head.out_features
    if as_many:
        into.head.weight.zero_()
        into.head.bias.zero_()
    for number, network in enumerate(networks):
        before = torch.arange(3)
        for (convolution, norm), (wide, wide_norm), places in zip(
            _layers(network), _layers(into), _places(network, into, number), strict=True
        ):
            wide.weight[places] = 0.0
            wide.weight[places[:, None], before] = convolution.weight
            for name, tensor in norm.state_dict().items():
                state = wide_norm.state_dict()[name]
                state[places if tensor.ndim else ...] = tensor
            before = places
        if as_many:
            into.head.weight[:, before] = network.head.weight / len(networks)
            into.head.bias.add_(network.head.bias / len(networks))


def _layers(network: ResNet) -> Iterator[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    yield network.stem, network.norm
    for block in _blocks(network):
        yield block.conv1, block.norm1
        yield block.conv2, block.norm2


def _places(network: ResNet, into: ResNet, number: int) -> Iterator[Tensor]:
    """Which channels of the wide network a narrow one has after each convolution.

    Inside a stage they stay. Where a stage begins, a shortcut puts new channels around the old ones: in the wide
    network around those of all, so that each narrow one gets its part of the front and of the back.
    """
    width = network.stem.out_channels
    places = number * width + torch.arange(width)
    yield places
    for narrow, wide in zip(_blocks(network), _blocks(into), strict=True):
        front, wide_front = narrow.new_channels // 2, wide.new_channels // 2
        back = narrow.new_channels - front
        after = wide_front + wide.conv1.in_channels + number * back
        places = torch.cat([number * front + torch.arange(front), wide_front + places, after + torch.arange(back)])
        yield places
        yield places


def _blocks(network: ResNet) -> list[Block]:
    return [block for block in network.blocks if isinstance(block, Block)]


def _check(networks: Sequence[ResNet], into: ResNet) -> None:
    if not networks:
        raise ValueError("Expected one network or more to be joined, but got none.")
    depths = {network.architecture["depth"] for network in (*networks, into)}
    if len(depths) > 1:
        raise ValueError(f"Expected networks of one depth to be joined, but got {sorted(depths)}.")
    widths = [network.stem.out_channels for network in networks]
    room = into.stem.out_channels
    if len({*widths}) > 1 or sum(widths) > room or (room != widths[0] and widths[0] % 2):
        raise ValueError(
            f"Expected networks of one even width, {room} channels or less together, to be joined into one of {room}, "
            f"but got widths of {', '.join(map(str, widths))}."
        )
    outputs = {network.head.out_features for network in networks}
    if len(outputs) > 1:
        raise ValueError(f"Expected networks with as many outputs as each other, but got {sorted(outputs)}.")
