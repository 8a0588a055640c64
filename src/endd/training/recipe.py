"""How to train: the settings that members and students share."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import nn

from endd._checks import check_option, check_positive
from endd.training.muon import Muon
from endd.training.schedules import Schedule, as_schedule

OPTIMISERS = ("adam", "adamw", "muon", "sgd")


@dataclass(frozen=True)
class Recipe:
    """Settings of a training run.

    epochs, batch_size, learning_rate, weight_decay: as usual. epoch_rows: how many rows, drawn at random, make an
    epoch, if not all. optimiser: "adam", "adamw", "muon" (see `Muon`), "sgd" (Nesterov, 0.9), or a function of the
    parameters that returns a torch optimiser. schedule: "constant", "one_cycle", "power_steps" or a function (step,
    total, per_epoch) -> factor. clip: the largest gradient norm, for each network on its own. ema: the decay of a
    moving average of the weights and of running statistics, which is then what is kept. patience: epochs without a
    better validation loss after which a network stops. seed: of the order of examples and of dropout. precision: as
    Fabric names it, such as "bf16-mixed".
    """

    epochs: int = 100
    batch_size: int = 64
    epoch_rows: int | None = None
    learning_rate: float = 1e-2
    optimiser: str | Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer] = "adam"
    weight_decay: float = 0.0
    schedule: str | Schedule = "one_cycle"
    clip: float | None = None
    ema: float | None = None
    patience: int | None = None
    seed: int = 0
    precision: Any = "32-true"
    device: str | torch.device | None = None

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "epoch_rows"):
            value = getattr(self, name)
            if value is not None and not (value >= 1 and value % 1 == 0):
                raise ValueError(f"Expected `{name}` to be a whole number of at least 1, but got {value}.")
        check_positive("learning_rate", self.learning_rate)
        if isinstance(self.optimiser, str):
            check_option("optimiser", self.optimiser, OPTIMISERS)
        as_schedule(self.schedule)
        if self.patience is not None and self.patience < 1:
            raise ValueError(f"Expected `patience` of at least 1 epoch, but got {self.patience}.")
        if self.clip is not None:
            check_positive("clip", self.clip)
        if self.ema is not None and not 0 < self.ema < 1:
            raise ValueError(f"Expected `ema` between 0 and 1, such as 0.999, but got {self.ema}.")

    def as_plain(self) -> dict[str, Any]:
        """The settings by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def make_optimiser(self, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
        """The optimiser, fused: one kernel for all parameters of all networks."""
        if not isinstance(self.optimiser, str):
            return self.optimiser(parameters)
        if self.optimiser == "muon":
            return Muon(parameters, self.learning_rate, self.weight_decay)
        common: dict[str, Any] = {"lr": self.learning_rate, "weight_decay": self.weight_decay, "fused": True}
        if self.optimiser == "sgd":
            return torch.optim.SGD(parameters, momentum=0.9, nesterov=True, **common)
        kind = torch.optim.AdamW if self.optimiser == "adamw" else torch.optim.Adam
        return kind(parameters, **common)
