"""Settings of single networks with an uncertain part, chosen by short trials on validation images."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from endd._files import replace_file

#: The folder of these networks, and the file in it.
SHELF, TRIALS = "samplers", "trials.json"
#: One of each setting.
Values = tuple[float, ...]


class Trials:
    """The loss of every candidate that was tried, by model and values, in a file; none is tried twice."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / TRIALS
        self.found: dict[str, dict[str, float]] = json.loads(self.file.read_text()) if self.file.exists() else {}

    def best(self, model: str, candidates: Sequence[Values], loss_of: Callable[[Values], float]) -> Values:
        """The candidate with the least loss; one alone needs no trial."""
        if len(candidates) == 1:
            return candidates[0]
        losses = self.found.setdefault(model, {})
        for values in candidates:
            if _name(values) not in losses:
                losses[_name(values)] = round(loss_of(values), 5)
                self._write()
        # a loss that is no number is no candidate's merit
        return min(candidates, key=lambda values: (math.isnan(losses[_name(values)]), losses[_name(values)]))

    def _write(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self.file, (json.dumps(self.found, indent=1) + "\n").encode())


def _name(values: Values) -> str:
    """'0.1' or '0, 0.01'."""
    return ", ".join(f"{value:g}" for value in values)
