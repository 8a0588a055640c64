"""Images changed at random, wherever they lie, each in a way of its own."""

import torch
from torch import Tensor


def flips_and_crops(images: Tensor, generator: torch.Generator, padding: int = 4) -> Tensor:
    """Images (..., C, H, W), mirrored or not, and moved by up to `padding` pixels each way; zeros move in.

    Random numbers are drawn on the CPU, a few an image, so that a run on any device sees the same pictures.

    >>> flips_and_crops(torch.zeros(10, 128, 3, 32, 32, dtype=torch.uint8), torch.Generator()).shape
    torch.Size([10, 128, 3, 32, 32])
    """
    channels, height, width = images.shape[-3:]
    flat = images.reshape(-1, channels, height, width)
    down, right = torch.randint(-padding, padding + 1, (2, len(flat), 1), generator=generator).to(images.device)
    mirrored = (torch.rand(len(flat), 1, generator=generator) < 0.5).to(images.device)
    rows = torch.arange(height, device=images.device) + down
    columns = torch.arange(width, device=images.device)
    columns = torch.where(mirrored, width - 1 - columns, columns) + right
    inside = (_within(rows, height).unsqueeze(2) & _within(columns, width).unsqueeze(1)).unsqueeze(1)
    places = rows.clamp(0, height - 1).unsqueeze(2) * width + columns.clamp(0, width - 1).unsqueeze(1)
    places = places.reshape(len(flat), 1, -1).expand(-1, channels, -1)
    moved = flat.flatten(2).gather(2, places).reshape(flat.shape)
    return torch.where(inside, moved, 0).to(images.dtype).reshape(images.shape)


def squares(area: Tensor, height: int, width: int, generator: torch.Generator) -> Tensor:
    """Masks (N, 1, height, width), each true in a rectangle at a random place over a part `area` (N,) of the image.

    >>> squares(torch.tensor([0.25]), 32, 32, torch.Generator()).sum()
    tensor(256)
    """
    inside = []
    for size in (height, width):
        side = (size * area.sqrt()).round().long()
        start = (torch.rand(len(area), generator=generator) * (size + 1 - side)).long()
        place = torch.arange(size)
        inside.append((place >= start.unsqueeze(1)) & (place < (start + side).unsqueeze(1)))
    rows, columns = inside
    return (rows.unsqueeze(2) & columns.unsqueeze(1)).unsqueeze(1)


def _within(places: Tensor, size: int) -> Tensor:
    return (places >= 0) & (places < size)
