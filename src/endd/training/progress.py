"""What a long run tells: a bar on a terminal, plain lines in a log, lines of JSON for a program, or nothing."""

import json
import math
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from endd._checks import check_option

MODES = ("auto", "bar", "lines", "json", "none")
# How often a log gets a line.
SECONDS_BETWEEN_LINES = 5.0


class Reporter(ABC):
    """Told after every epoch how things stand."""

    @abstractmethod
    def update(self, epoch: int, epochs: int, numbers: dict[str, float]) -> None:
        """`epoch` of `epochs` is done; numbers such as the loss go with it."""


class Silent(Reporter):
    """Says nothing."""

    def update(self, epoch: int, epochs: int, numbers: dict[str, float]) -> None:
        """Nothing."""


class Lines(Reporter):
    """A plain line every few seconds, and one at the end."""

    def __init__(self, title: str, noun: str = "epoch") -> None:
        self.title, self.noun, self._start, self._last = title, noun, time.monotonic(), -math.inf
        self._unsaid = ""

    def update(self, epoch: int, epochs: int, numbers: dict[str, float]) -> None:
        """Print if it is time to."""
        now = time.monotonic()
        spent = now - self._start
        shown = "  ".join(f"{name} {value:.4g}" for name, value in numbers.items())
        left = spent / max(epoch, 1) * (epochs - epoch)
        so_far = "  ".join(filter(None, [f"{self.title}: {self.noun} {epoch}/{epochs}", shown]))
        self._unsaid = f"{so_far}  {spent:.0f} s, {left:.0f} s left"
        if now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            self.close()

    def close(self) -> None:
        """Print the last line, also of a run that stopped early."""
        if self._unsaid:
            print(self._unsaid, file=sys.stderr)
        self._unsaid = ""


class JsonLines(Reporter):
    """An object a line for every update: when, what, how far, and the numbers that go with it."""

    def __init__(self, title: str, noun: str = "epoch") -> None:
        self.title, self.noun = title, noun

    def update(self, epoch: int, epochs: int, numbers: dict[str, float]) -> None:
        """Print a line; what JSON has no word for, NaN and infinity, is null."""
        plain = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        said = {"time": round(time.time(), 3), "run": self.title, self.noun: epoch, "of": epochs, **plain}
        print(json.dumps(said, allow_nan=False), file=sys.stderr, flush=True)


class Bar(Reporter):
    """A bar with loss, rate and time left."""

    def __init__(self, title: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[shown]}"),
        )
        self.bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True))
        self.task = self.bar.add_task(title, total=None, shown="")

    def update(self, epoch: int, epochs: int, numbers: dict[str, float]) -> None:
        """Move the bar."""
        shown = "  ".join(f"{name} {value:.4g}" for name, value in numbers.items())
        self.bar.update(self.task, completed=epoch, total=epochs, shown=shown)


@contextmanager
def reporter(mode: str, title: str, noun: str = "epoch") -> Iterator[Reporter]:
    """The reporter for a mode; "auto" is a bar on a terminal and lines elsewhere. noun: what is counted."""
    check_option("progress", mode, MODES)
    if mode == "auto":
        mode = "bar" if sys.stderr.isatty() else "lines"
    if mode == "bar":
        bar = Bar(title)
        with bar.bar:
            yield bar
    elif mode == "lines":
        lines = Lines(title, noun)
        try:
            yield lines
        finally:
            lines.close()
    else:
        yield JsonLines(title, noun) if mode == "json" else Silent()
