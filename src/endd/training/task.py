"""What is learnt, as the training loop sees it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor


class Task(ABC):
    """What is learnt: batches for every track, and a loss for every track."""

    noun: str = "member"

    def name(self, track: int) -> str:
        """What a track is called in messages."""
        return f"{self.noun} {track}"

    @abstractmethod
    def batches(self, epoch: int, generator: torch.Generator) -> Iterator[Any]:
        """The batches of an epoch, tracks first."""

    @abstractmethod
    def steps_per_epoch(self) -> int:
        """How many batches an epoch has."""

    @abstractmethod
    def loss(self, stack: torch.nn.Module, batch: Any, epoch: int) -> Tensor:
        """The mean loss of each track, (J,)."""

    def stage(self, epoch: int) -> Any:
        """What the loss depends on beside the batch, compared with ==: while it stays, so does the loss."""
        return None

    def validate(self, stack: torch.nn.Module) -> Tensor | None:
        """A validation loss for each track, (J,), if there is held-out data."""
        return None
