"""Learning rates over the course of training: a factor for every step."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from endd._checks import check_option

#: (step, steps in all, steps per epoch) -> the factor on the learning rate.
Schedule = Callable[[int, int, int], float]


@dataclass(frozen=True)
class Constant:
    """The learning rate as it is."""

    def __call__(self, step: int, total: int, per_epoch: int) -> float:
        """1."""
        return 1.0


@dataclass(frozen=True)
class OneCycle:
    """Up along a cosine for the first `warm` part of training, down to 0 for the rest (Smith and Topin 2018)."""

    warm: float = 0.3
    start: float = 0.04

    def __call__(self, step: int, total: int, per_epoch: int) -> float:
        """The factor at a step."""
        peak = max(self.warm * total, 1)
        if step < peak:
            return self.start + (1 - self.start) * (1 - math.cos(math.pi * step / peak)) / 2
        return (1 + math.cos(math.pi * min((step - peak) / max(total - peak, 1), 1))) / 2


@dataclass(frozen=True)
class PowerSteps:
    """k^-power, where k counts from 1 and grows every `every` epochs: the paper's schedule."""

    power: float = 0.8
    every: int = 20

    def __call__(self, step: int, total: int, per_epoch: int) -> float:
        """The factor at a step."""
        return float((1 + step // (per_epoch * self.every)) ** -self.power)


SCHEDULES: dict[str, Schedule] = {"constant": Constant(), "one_cycle": OneCycle(), "power_steps": PowerSteps()}


def as_schedule(schedule: str | Schedule) -> Schedule:
    """A schedule by name, or the schedule itself."""
    if isinstance(schedule, str):
        check_option("schedule", schedule, SCHEDULES)
        return SCHEDULES[schedule]
    return schedule
