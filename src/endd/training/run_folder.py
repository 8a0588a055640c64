"""A folder that says what ran, and from which an interrupted run goes on."""

import csv
import json
import re
import time
from pathlib import Path
from typing import Any

import torch

from endd._damage import reading
from endd._files import make_folder, new_file, replace_file, storing
from endd.training.surroundings import surroundings

#: What tells the data and the networks of a run from others.
OUTLINES = ("data", "networks")
CHECKPOINT, METRICS, CONFIG, TENSORBOARD = "checkpoint.pt", "metrics.csv", "config.json", "tensorboard"
ENVIRONMENT, FINISHED = "environment.json", "finished.json"


class RunFolder:
    """config.json, metrics.csv (a row an epoch) and checkpoint.pt (everything needed to go on).

    environment.json says where and by what command the run was begun, finished.json comes when it is over.

    The folder is made when the first epoch is done, so that bad input leaves nothing behind. A checkpoint is written
    beside the old one and then put in its place, so that a crash leaves one of them whole.
    """

    def __init__(
        self,
        path: str | Path,
        config: dict[str, Any],
        *,
        resume: bool = False,
        seconds: float = 30.0,
        tensorboard: bool = False,
    ) -> None:
        self.path, self.seconds, self.tensorboard = Path(path), seconds, tensorboard
        self._open_events: Any = _event_writer() if tensorboard else None
        self._events: Any = None
        self._last = time.monotonic()
        self.config = {name: written(value) for name, value in config.items()}
        if not resume and self.path.exists() and any(self.path.iterdir()):
            raise FileExistsError(
                f"Expected a new or empty run folder, but {self.path} holds an earlier run. "
                "Pass resume=True to go on with it, or another folder."
            )
        self._made = (self.path / CONFIG).exists()
        if resume:
            self._check_same()

    def _make(self) -> None:
        if self._made:  # if it is gone its disk is: to make it again would be to write where that should be
            return
        make_folder(self.path)
        replace_file(self.path / ENVIRONMENT, json.dumps(surroundings(), indent=1).encode())
        replace_file(self.path / CONFIG, json.dumps(self.config, indent=1).encode())
        self._made = True

    def _check_same(self) -> None:
        """A run goes on only with the settings that it began with."""
        file = self.path / CONFIG
        if not file.exists():
            return
        with reading(file, "the settings of a run", self._remedy()):
            before = dict(json.loads(file.read_text()))
        now = self.config
        # what runs from before did not write down is not known to have changed
        known = {*before, *now} - {name for name in OUTLINES if name not in before}
        changed = [name for name in sorted(known - {*OUTLINES}) if before.get(name) != now.get(name)]
        changed += [name for name in OUTLINES if name in known and before.get(name) != now.get(name)]
        if changed:
            name = changed[0]
            raise ValueError(
                f"Expected the settings that the run in {self.path} began with, but {name} was {before.get(name)!r} "
                f"and now is {now.get(name)!r}. Start a new run folder."
            )

    def _remedy(self) -> str:
        return f"Bring it back, or delete {self.path} to begin that run again."

    def load(self) -> dict[str, Any] | None:
        """The last checkpoint, if there is one; rows of metrics after it are cut off."""
        file = self.path / CHECKPOINT
        if not file.exists():
            (self.path / METRICS).unlink(missing_ok=True)
            return None
        # tensors go where the loop has its own
        with reading(file, "a checkpoint", self._remedy()):
            state: dict[str, Any] = torch.load(file, weights_only=True, map_location="cpu")
            epoch = int(state["epoch"])
        self._cut_metrics(epoch)
        return state

    def due(self) -> bool:
        """Whether it is time for a checkpoint."""
        return time.monotonic() - self._last >= self.seconds

    def save(self, state: dict[str, Any]) -> None:
        """Keep the state."""
        self._make()
        with new_file(self.path / CHECKPOINT) as stream:
            torch.save(state, stream)
        self._last = time.monotonic()

    def row(self, numbers: dict[str, float]) -> None:
        """Append a row to the metrics."""
        self._make()
        file = self.path / METRICS
        new = not file.exists()
        with storing(file), file.open("a", newline="") as stream:
            writer = csv.DictWriter(stream, list(numbers))
            if new:
                writer.writeheader()
            writer.writerow(numbers)
        if self._open_events is not None:
            self._tell_tensorboard(dict(numbers))

    def _tell_tensorboard(self, numbers: dict[str, float]) -> None:
        epoch = int(numbers.pop("epoch"))
        if self._events is None:
            # a run that goes on replaces the events after its checkpoint
            self._events = self._open_events(str(self.path / TENSORBOARD), purge_step=epoch)
        for name, value in numbers.items():
            self._events.add_scalar(name, value, epoch)

    def finish(self, epochs: int) -> None:
        """Say that the run is over, after so many epochs, and write what is still in memory."""
        replace_file(self.path / FINISHED, json.dumps({"epochs": epochs}).encode())
        if self._events is not None:
            self._events.close()

    def part(self, name: str) -> "RunFolder":
        """A folder inside, for a part of the run."""
        return RunFolder(self.path / name, {}, resume=True, seconds=self.seconds, tensorboard=self.tensorboard)

    def _cut_metrics(self, epochs: int) -> None:
        file = self.path / METRICS
        if file.exists():
            replace_file(self.path / METRICS, b"".join(file.read_bytes().splitlines(keepends=True)[: epochs + 1]))


def _event_writer() -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise ImportError("TensorBoard's events need its package. Use pip install 'endd[tensorboard]'.") from None
    return SummaryWriter


def written(value: Any) -> Any:
    """A setting as it is written down; functions and objects without their address, which no other process knows."""
    if isinstance(value, str | int | float | None):
        return value
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
