"""Settings of single networks with an uncertain part, chosen by trials on validation images."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from endd._damage import reading
from endd._files import replace_file

#: The folder of these networks, and the file in it.
SHELF, TRIALS = "samplers", "trials.json"
#: One of each setting.
Values = tuple[float, ...]


class Trials:
    """The loss of every candidate that was tried, by model, epochs and values, in a file; none is tried twice."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / TRIALS
        self.found: dict[str, dict[str, dict[str, float]]] = {}
        if self.file.exists():
            with reading(self.file, "losses of trials", "Bring it back, or delete it to have them made again."):
                self.found = dict(json.loads(self.file.read_text()))

    def best(
        self, model: str, candidates: Sequence[Values], rounds: dict[int, int], loss_of: Callable[[Values, int], float]
    ) -> Values:
        """The candidate that is left after all rounds: epochs of the trials, and how many stay that had the least loss.

        A round that all would stay in needs no trial.
        """
        left = list(candidates)
        for epochs, few in rounds.items():
            if len(left) > few:
                losses = {values: self._loss(model, values, epochs, loss_of) for values in left}
                # a loss that is no number is no candidate's merit
                left = sorted(left, key=lambda values: (math.isnan(losses[values]), losses[values]))[:few]
        return left[0]

    def _loss(self, model: str, values: Values, epochs: int, loss_of: Callable[[Values, int], float]) -> float:
        losses = self.found.setdefault(model, {}).setdefault(str(epochs), {})
        if _name(values) not in losses:
            losses[_name(values)] = round(loss_of(values, epochs), 5)
            self._write()
        return losses[_name(values)]

    def _write(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self.file, (json.dumps(self.found, indent=1) + "\n").encode())


def _name(values: Values) -> str:
    """'0.1' or '0, 0.01'."""
    return ", ".join(f"{value:g}" for value in values)
