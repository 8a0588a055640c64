"""Moving averages of weights, which are kept in the place of the weights themselves."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor


class Averages:
    """The moving averages of some weights; without a decay there are none, and the weights stand for themselves."""

    def __init__(self, weights: Sequence[Tensor], decay: float | None) -> None:
        self._weights, self._decay = list(weights), decay
        self.tensors = [] if decay is None else [weight.detach().clone() for weight in self._weights]

    def move(self) -> None:
        """A step towards the weights, on tensors alone, so that it can be recorded."""
        if self._decay is not None:
            torch._foreach_lerp_(self.tensors, [weight.detach() for weight in self._weights], 1 - self._decay)

    def of(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Tensors that begin with the weights, with the averages in their place."""
        return [*self.tensors, *tensors[len(self.tensors) :]]

    @contextmanager
    def instead(self) -> Iterator[None]:
        """Let the weights be their averages for a while."""
        kept = [weight.detach().clone() for weight in self._weights[: len(self.tensors)]]
        self._put(self.tensors)
        try:
            yield
        finally:
            self._put(kept)

    def _put(self, values: Sequence[Tensor]) -> None:
        for weight, value in zip(self._weights, values, strict=False):
            weight.data.copy_(value)
