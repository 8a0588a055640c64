"""A transfer pool: inputs drawn, augmented and mixed once, then labelled on exactly those inputs and reused."""

from collections.abc import Callable

import torch
from torch import Tensor

from endd.training.images import squares


def transfer_pool(
    inputs: Tensor,
    views: int = 4,
    *,
    augment: Callable[[Tensor, torch.Generator], Tensor] | None = None,
    mix: float = 0.0,
    patch: float = 0.0,
    swap: float = 0.0,
    seed: int = 0,
) -> Tensor:
    """`views` versions of every input, (views x N, ...), some of them with a part of another input.

    swap: how many have one entry (a column of a table, a channel of an image) from another input; augment: (inputs,
    generator) -> inputs of the same shape; mix: how many are then l x + (1 - l) x' with l uniform and x' another one;
    patch: how many others, if they are images (..., H, W), get a square of x' over a part 1 - l of their area. Off the
    data members disagree, and there a student learns how.

    >>> transfer_pool(torch.rand(10, 3), views=3, mix=0.5).shape
    torch.Size([30, 3])
    """
    if views < 1 or not all(0 <= share <= 1 for share in (mix, patch, mix + patch, swap)):
        raise ValueError(
            "Expected at least one view, and `mix`, `patch`, their sum and `swap` from 0 to 1, but got views="
            f"{views}, mix={mix}, patch={patch}, swap={swap}."
        )
    if patch and inputs.ndim < 4:
        raise ValueError(f"Expected images (N, C, H, W) with `patch`, but got inputs of shape {tuple(inputs.shape)}.")
    generator = torch.Generator().manual_seed(seed)
    parts = []
    for _ in range(views):
        part = _swapped(inputs, swap, generator) if swap else inputs
        part = part if augment is None else augment(part, generator)
        partner = part[torch.randperm(len(part), generator=generator)]
        share, lot = (torch.rand(len(part), generator=generator) for _ in range(2))
        blended = torch.where(lot < mix, share, 1.0).to(part.device).reshape(-1, *[1] * (part.ndim - 1))
        result = _between(part, partner, blended)
        if patch:
            area = torch.where((mix <= lot) & (lot < mix + patch), 1 - share, 0.0)
            height, width = part.shape[-2:]
            result = torch.where(squares(area, height, width, generator).to(part.device), partner, result)
        parts.append(result)
    return torch.cat(parts)


def _between(a: Tensor, b: Tensor, share: Tensor) -> Tensor:
    """share a + (1 - share) b in the type of a: pixels are rounded."""
    if a.is_floating_point():
        share = share.to(a.dtype)
        return share * a + (1 - share) * b
    return (share * a + (1 - share) * b).round().to(a.dtype)


def _swapped(inputs: Tensor, share: float, generator: torch.Generator) -> Tensor:
    """Inputs, a random share of which have one entry from another of them."""
    rows = (torch.rand(len(inputs), generator=generator) < share).nonzero().squeeze(1)
    places = torch.randint(inputs.shape[1], rows.shape, generator=generator)
    others = torch.randint(len(inputs), rows.shape, generator=generator)
    swapped = inputs.clone()
    swapped[rows, places] = inputs[others, places]
    return swapped
