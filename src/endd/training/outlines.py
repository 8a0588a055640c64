"""What tells a run's data and networks from others in a few numbers, which a run folder remembers.

No hashes: a run may go on on another machine, where teachers round the last digit otherwise.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from endd.training.tables import map_tensors

# Rows that are looked at.
ROWS = 4096


def outline(nest: Any) -> str:
    """Shapes, and three digits of what the numbers are like.

    >>> outline(torch.arange(6.0).reshape(3, 2))
    '(3, 2) 2.5 1.87 0.5 4.5'
    """
    found: list[str] = []

    def note(tensor: Tensor) -> Tensor:
        found.append(" ".join([str(tuple(tensor.shape)), *(f"{number:.3g}" for number in _numbers(tensor))]))
        return tensor

    map_tensors(note, nest)
    return ", ".join(found)


def shapes(networks: Iterable[nn.Module]) -> str:
    """How many numbers each parameter of each network has, the same ones named once."""
    every = ["+".join(str(p.numel()) for p in network.parameters()) for network in networks]
    return ", ".join(f"{every.count(one)} x {one}" for one in dict.fromkeys(every))


def _numbers(tensor: Tensor) -> list[float]:
    """The mean size, the spread, and the mean size in the first and in the last row."""
    if not tensor.numel() or not tensor.ndim:
        return tensor.double().flatten().tolist()
    some = tensor.detach()[:: -(-len(tensor) // ROWS)].double()
    parts = some.abs().mean(), some.std(unbiased=len(some) > 1), tensor[0].double().abs().mean()
    return torch.stack([*parts, tensor[-1].detach().double().abs().mean()]).tolist()
