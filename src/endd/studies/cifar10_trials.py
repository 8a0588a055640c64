"""Settings of single networks with an uncertain part, chosen by short trials on validation images."""

import json
import math
from collections.abc import Callable
from pathlib import Path

from endd._files import replace_file

#: The folder of these networks, and the file in it.
SHELF, TRIALS = "samplers", "trials.json"


class Trials:
    """The loss of every candidate that was tried, by model and value, in a file; none is tried twice."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / TRIALS
        self.found: dict[str, dict[str, float]] = json.loads(self.file.read_text()) if self.file.exists() else {}

    def best(self, model: str, candidates: tuple[float, ...], loss_of: Callable[[float], float]) -> float:
        """The candidate with the least loss; one alone needs no trial."""
        if len(candidates) == 1:
            return candidates[0]
        losses = self.found.setdefault(model, {})
        for value in candidates:
            if f"{value:g}" not in losses:
                losses[f"{value:g}"] = round(loss_of(value), 5)
                self._write()
        # a loss that is no number is no candidate's merit
        return min(candidates, key=lambda value: (math.isnan(losses[f"{value:g}"]), losses[f"{value:g}"]))

    def _write(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self.file, (json.dumps(self.found, indent=1) + "\n").encode())
