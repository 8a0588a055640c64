"""What every task says unless it has something to add."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from endd.training.task import Task


class Nothing(Task):
    """One batch an epoch, and no loss."""

    noun = "student"

    def batches(self, epoch: int, generator: torch.Generator) -> Iterator[Any]:
        yield torch.zeros(1)

    def steps_per_epoch(self) -> int:
        return 1

    def loss(self, stack: nn.Module, batch: Any, epoch: int) -> Tensor:
        return torch.zeros(2)


def test_tracks_are_named_and_nothing_is_held_out() -> None:
    task = Nothing()
    assert task.name(3) == "student 3"
    assert task.stage(0) == task.stage(7)
    assert task.validate(nn.Identity()) is None


def test_batches_and_losses_must_be_there() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Task()  # type: ignore[abstract]
