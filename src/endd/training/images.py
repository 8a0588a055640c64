"""Images changed at random, wherever they lie, each in a way of its own."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, grid_sample

from endd.training.tables import sent

# Images at once: all of a data set as floating point numbers might not fit.
AT_ONCE = 10_000


def flips_and_crops(
    images: Tensor, generator: torch.Generator, padding: int = 4, *, mirrored_edges: bool = False
) -> Tensor:
    """Images (..., C, H, W), mirrored or not, and moved by up to `padding` pixels each way.

    Zeros move in, or with mirrored_edges what lies inside the edge. Random numbers are drawn on the CPU, a few an
    image, so that a run on any device sees the same pictures.

    >>> flips_and_crops(torch.zeros(10, 128, 3, 32, 32, dtype=torch.uint8), torch.Generator()).shape
    torch.Size([10, 128, 3, 32, 32])
    """
    channels, height, width = images.shape[-3:]
    flat = images.reshape(-1, channels, height, width)
    down, right = sent(torch.randint(-padding, padding + 1, (2, len(flat), 1), generator=generator), images.device)
    mirrored = sent(torch.rand(len(flat), 1, generator=generator) < 0.5, images.device)
    rows = torch.arange(height, device=images.device) + down
    columns = torch.arange(width, device=images.device)
    columns = torch.where(mirrored, width - 1 - columns, columns) + right
    near_rows, near_columns = _reflected(rows, height), _reflected(columns, width)
    places = near_rows.unsqueeze(2) * width + near_columns.unsqueeze(1)
    places = places.reshape(len(flat), 1, -1).expand(-1, channels, -1)
    moved = flat.flatten(2).gather(2, places).reshape(flat.shape)
    if not mirrored_edges:
        inside = ((near_rows == rows).unsqueeze(2) & (near_columns == columns).unsqueeze(1)).unsqueeze(1)
        moved = torch.where(inside, moved, 0)
    return moved.to(images.dtype).reshape(images.shape)


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


def some_rows(count: int, share: float, generator: torch.Generator) -> Tensor:
    """Each of `count` rows or not, with probability `share`."""
    if not 0 <= share <= 1:
        raise ValueError(f"Expected `share` from 0 to 1, but got {share}.")
    return (torch.rand(count, generator=generator) < share).nonzero().squeeze(1)


def change_some(images: Tensor, rows: Tensor, change: Callable[..., Tensor], drawn: tuple[Tensor, ...]) -> Tensor:
    """Images of which some rows are changed, by change(images, *drawn): each of `drawn` has a row for each of those."""
    changed = images.clone()
    for start in range(0, len(rows), AT_ONCE):
        at = slice(start, start + AT_ONCE)
        place = rows[at].to(images.device)
        changed[place] = change(images[place], *(each[at].to(images.device) for each in drawn))
    return changed


def moved_by(images: Tensor, maps: Tensor) -> Tensor:
    """Images (N, C, H, W) of floating point numbers under affine maps (N, 2, 3) of places, mirrored at the edges."""
    grid = affine_grid(maps.to(images.dtype), list(images.shape), align_corners=False)
    return grid_sample(images, grid, padding_mode="reflection", align_corners=False)


def _reflected(places: Tensor, size: int) -> Tensor:
    """Places beyond an edge as those at the same distance inside it; the edge itself is not doubled."""
    return (size - 1) - ((size - 1) - places.abs()).abs()
