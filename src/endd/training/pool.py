"""A transfer pool: inputs drawn, augmented and mixed once, then labelled on exactly those inputs and reused."""

from collections.abc import Callable

import torch
from torch import Tensor


def transfer_pool(
    inputs: Tensor,
    views: int = 4,
    *,
    augment: Callable[[Tensor, torch.Generator], Tensor] | None = None,
    mix: float = 0.0,
    swap: float = 0.0,
    seed: int = 0,
) -> Tensor:
    """`views` versions of every input, (views x N, ...), some of them with a part of another input.

    swap: how many have one entry (a column of a table, a channel of an image) from another input; augment: (inputs,
    generator) -> inputs of the same shape; mix: how many are then l x + (1 - l) x' with l uniform and x' another one.
    Off the data members disagree, and there a student learns how.

    >>> transfer_pool(torch.rand(10, 3), views=3, mix=0.5).shape
    torch.Size([30, 3])
    """
    if views < 1 or not 0 <= mix <= 1 or not 0 <= swap <= 1:
        raise ValueError(
            f"Expected at least one view, `mix` and `swap` from 0 to 1, but got views={views}, mix={mix}, swap={swap}."
        )
    generator = torch.Generator().manual_seed(seed)
    parts = []
    for _ in range(views):
        part = _swapped(inputs, swap, generator) if swap else inputs
        part = part if augment is None else augment(part, generator)
        partner = part[torch.randperm(len(part), generator=generator)]
        share = torch.rand(len(part), generator=generator)
        share = torch.where(torch.rand(len(part), generator=generator) < mix, share, 1.0)
        share = share.to(part.device).reshape(-1, *[1] * (part.ndim - 1))
        parts.append(_between(part, partner, share))
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
