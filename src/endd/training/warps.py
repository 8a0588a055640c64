"""Images off the data: turned, stretched and in colours of other things, each in a way of its own."""

import math

import torch
from torch import Tensor

from endd.training.images import change_some, moved_by, some_rows

# How far an axis is stretched or squeezed at most, and how far an image moves, as a part of half its size.
STRETCH, MOVE = 2.0, 0.25


def warps(images: Tensor, generator: torch.Generator, share: float = 1.0) -> Tensor:
    """Images (N, C, H, W); a random `share` of them is warped, the others stay as they are.

    A warped one is turned by any angle, squeezed or stretched along two crossed axes, moved, mirrored at its edges, its
    channels change places, and half of them become negatives. It keeps edges, textures and contrast, so that networks
    still see things in it, and disagree about which: a student that is taught there learns how ignorance looks. None of
    this is a blur, a noise or weather.

    Random numbers are drawn on the CPU, so that a run on any device sees the same pictures, up to rounding.

    >>> warps(torch.zeros(10, 3, 32, 32, dtype=torch.uint8), torch.Generator()).shape
    torch.Size([10, 3, 32, 32])
    """
    rows = some_rows(len(images), share, generator)
    matrices = _affine_maps(len(rows), generator)
    channels = torch.rand(len(rows), images.shape[1], generator=generator).argsort(1)
    negative = torch.rand(len(rows), generator=generator) < 0.5
    return change_some(images, rows, _warped, (matrices, channels, negative))


def _affine_maps(count: int, generator: torch.Generator) -> Tensor:
    """R(a) diag(s, t) R(b) and a move, (N, 2, 3)."""
    first, second = (_rotations(count, generator) for _ in range(2))
    sizes = STRETCH ** (2 * torch.rand(count, 2, generator=generator) - 1)
    moves = MOVE * (2 * torch.rand(count, 2, 1, generator=generator) - 1)
    return torch.cat([first @ torch.diag_embed(sizes) @ second, moves], 2)


def _rotations(count: int, generator: torch.Generator) -> Tensor:
    angle = 2 * math.pi * torch.rand(count, generator=generator)
    return torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], 1).reshape(-1, 2, 2)


def _warped(images: Tensor, matrices: Tensor, channels: Tensor, negative: Tensor) -> Tensor:
    whole = images if images.is_floating_point() else images.float()
    top = 1.0 if images.is_floating_point() else 255.0
    moved = moved_by(whole, matrices)
    moved = moved.gather(1, channels.reshape(*channels.shape, 1, 1).expand_as(moved))
    moved = torch.where(negative.reshape(-1, 1, 1, 1), top - moved, moved)
    return moved if images.is_floating_point() else moved.round().clamp(0, 255).to(images.dtype)
