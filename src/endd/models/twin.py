"""Inference without touching a module that others share."""

import copy
from itertools import chain
from typing import Any

from torch import Tensor, nn


def shared_copy(module: nn.Module) -> nn.Module:
    """A second module, in eval mode, that shares the parameters and buffers of the first."""
    tensors = chain(module.parameters(), module.buffers())
    return copy.deepcopy(module, {id(tensor): tensor for tensor in tensors}).eval()


def in_training(module: nn.Module) -> bool:
    """Whether any part of a module is in training mode.

    Level by level: the generators of `modules` take three times as long, which counts for a single input.
    """
    level = {module}
    while level:
        if any(part.training for part in level):
            return True
        level = {child for part in level for child in part._modules.values() if child is not None}
    return False


class InferenceTwin:
    """A second view of a module, in eval mode, that shares its parameters and buffers.

    Calling eval() on the module itself would change it under the feet of a training loop or another thread. The twin
    is made on first use and again whenever the module's tensors are replaced (by .to(device), say).
    """

    def __init__(self) -> None:
        self._made: tuple[nn.Module, list[Tensor], nn.Module] | None = None

    def of(self, module: nn.Module) -> nn.Module:
        """The module itself if all of it is in eval mode, else its twin."""
        if not in_training(module):
            return module
        tensors = list(chain(module.parameters(), module.buffers()))
        made = self._made
        if made is None or made[0] is not module or not _same(made[1], tensors):
            made = self._made = (module, tensors, shared_copy(module))
        return made[2]

    # A twin is a cache: copies and pickles of its owner start without one.
    def __deepcopy__(self, memo: Any) -> "InferenceTwin":
        return InferenceTwin()

    def __reduce__(self) -> tuple[type["InferenceTwin"], tuple[()]]:
        return InferenceTwin, ()


def _same(before: list[Tensor], now: list[Tensor]) -> bool:
    return len(before) == len(now) and all(a is b for a, b in zip(before, now, strict=True))
