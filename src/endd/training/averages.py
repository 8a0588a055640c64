"""Moving averages of weights, which are kept in the place of the weights themselves."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor


class Averages:
    """The moving averages of some tensors; without a decay there are none, and the tensors stand for themselves.

    They are of all tensors with floating point numbers: weights that are averaged want the running statistics of their
    batch norms averaged too. The t-th step takes a part (1 - decay) / (1 - decay^t) of what is there, so that what a
    run began with does not linger: after t steps the average of s steps ago counts as decay^s.
    """

    def __init__(self, tensors: Sequence[Tensor], decay: float | None) -> None:
        self._decay = decay
        self._followed = [] if decay is None else [tensor for tensor in tensors if tensor.is_floating_point()]
        self.tensors = [tensor.detach().clone() for tensor in self._followed]
        device = self.tensors[0].device if self.tensors else None
        self.steps = torch.zeros((), dtype=torch.float64, device=device)

    def move(self) -> None:
        """A step towards the tensors, on tensors alone, so that it can be recorded."""
        if self._decay is None:
            return
        self.steps += 1
        part = (1 - self._decay) / (1 - self._decay**self.steps)
        ahead = torch._foreach_sub([tensor.detach() for tensor in self._followed], self.tensors)
        torch._foreach_mul_(ahead, part)
        torch._foreach_add_(self.tensors, ahead)

    def of(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The same tensors as at first, with the averages in the place of those that have one."""
        averages = iter(self.tensors)
        followed = self._decay is not None
        return [next(averages) if followed and tensor.is_floating_point() else tensor for tensor in tensors]

    @contextmanager
    def instead(self) -> Iterator[None]:
        """Let the tensors be their averages for a while."""
        kept = [tensor.detach().clone() for tensor in self._followed]
        self._put(self.tensors)
        try:
            yield
        finally:
            self._put(kept)

    def _put(self, values: Sequence[Tensor]) -> None:
        for tensor, value in zip(self._followed, values, strict=True):
            tensor.data.copy_(value)
