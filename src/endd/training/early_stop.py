"""Early stopping, for every track on its own."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

#: What a checkpoint holds of it.
KEPT = ("best", "best_loss", "best_at", "waiting")


class EarlyStop:
    """The best weights of every track by its validation loss, and how long each has waited for better ones.

    patience: epochs without a better loss after which a track has stopped; what it does then is not looked at. best:
    the weights that are kept, None until a loss was seen. best_at: the epoch of each, (J,).
    """

    def __init__(self, tracks: int, patience: int | None) -> None:
        self._patience = math.inf if patience is None else patience
        self.best: list[Tensor] | None = None
        self.best_loss = torch.full((tracks,), math.inf)
        self.best_at = torch.zeros(tracks, dtype=torch.long)
        self.waiting = torch.zeros(tracks, dtype=torch.long)

    def stopped(self) -> Tensor:
        """Which tracks have waited long enough, (J,)."""
        return self.waiting >= self._patience

    def see(self, losses: Tensor, epoch: int, weights: Sequence[Tensor]) -> None:
        """Losses (J,) after an epoch, infinite where there is none, and the weights that have them, tracks first."""
        running = ~self.stopped()
        better = running & (losses < self.best_loss)
        self.best_loss = torch.where(better, losses, self.best_loss)
        self.best_at = torch.where(better, epoch, self.best_at)
        self.waiting = torch.where(better, 0, self.waiting + running.long())
        if self.best is None:
            self.best = [weight.detach().clone() for weight in weights]
            return
        for kept, weight in zip(self.best, weights, strict=True):
            chosen = better.to(weight.device).reshape(-1, *[1] * (weight.ndim - 1))
            kept.copy_(torch.where(chosen, weight.detach(), kept))

    def state(self) -> dict[str, Any]:
        """What it takes to go on."""
        return {name: getattr(self, name) for name in KEPT}

    def restore(self, state: dict[str, Any], device: torch.device) -> None:
        """Go on from a state, with weights on a device."""
        for name in KEPT:
            setattr(self, name, state[name])
        if self.best is not None:
            self.best = [weight.to(device) for weight in self.best]
