"""What happened in a training run."""

from dataclasses import dataclass, field


@dataclass
class History:
    """What happened: a row of numbers an epoch, and one line for every restart.

    >>> History([{"loss": 2.0}, {"loss": 1.5}]).loss
    [2.0, 1.5]
    """

    rows: list[dict[str, float]] = field(default_factory=list)
    restarts: list[str] = field(default_factory=list)
    best_epoch: list[int] | None = None

    @property
    def loss(self) -> list[float]:
        """The mean training loss of every epoch."""
        return [row["loss"] for row in self.rows]
