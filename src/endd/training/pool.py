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
    seed: int = 0,
) -> Tensor:
    """`views` versions of every input, (views x N, ...), a part `mix` of them mixed with another input.

    augment: (inputs, generator) -> inputs of the same shape. A mixed input is l x + (1 - l) x' with l uniform: between
    the data members disagree, and there a student learns how.

    >>> transfer_pool(torch.rand(10, 3), views=3, mix=0.5).shape
    torch.Size([30, 3])
    """
    if views < 1 or not 0 <= mix <= 1:
        raise ValueError(f"Expected at least one view and `mix` from 0 to 1, but got views={views}, mix={mix}.")
    generator = torch.Generator().manual_seed(seed)
    parts = []
    for _ in range(views):
        part = inputs if augment is None else augment(inputs, generator)
        partner = part[torch.randperm(len(part), generator=generator)]
        share = torch.rand(len(part), generator=generator)
        share = torch.where(torch.rand(len(part), generator=generator) < mix, share, 1.0)
        share = share.to(part).reshape(-1, *[1] * (part.ndim - 1))
        parts.append(share * part + (1 - share) * partner)
    return torch.cat(parts)
