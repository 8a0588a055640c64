"""Every model of a repeat asked about every test set."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from endd.calibration import fit_temperature
from endd.models import Ensemble, Model
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_evaluation import Evaluation
from endd.studies.cifar10_images import CLEAN, Pictures, number_of_sets, on_device, sets_to_test_on
from endd.studies.cifar10_outputs import ENSEMBLE, REFERENCE, Halves, Outputs, raw_outputs
from endd.studies.cifar10_training import Workshop
from endd.studies.cost import milliseconds_a_row
from endd.studies.training import say
from endd.training.progress import reporter

# Images of the batches in which models are timed.
TIMED = (1, 256)


class Asking:
    """Asks the models of a repeat about every test set.

    remembered: what the ensemble of a repeat says, for its neighbours and for other groups of models. reference:
    whether another ensemble is asked beside it.
    """

    def __init__(
        self,
        config: Config,
        workshop: Workshop,
        pictures: Pictures,
        data: str | Path | None,
        remembered: dict[int, dict[str, Halves]] | None = None,
        reference: bool = True,
    ) -> None:
        self.config, self.workshop, self.pictures, self.data = config, workshop, pictures, data
        self._ensembles = {} if remembered is None else remembered
        self._reference = reference

    def all_about(self, seed: int) -> Outputs:
        """Raw outputs of the ensemble, of the reference if there is one, and of the students."""
        members, students = self.workshop.members(seed), self.workshop.students(seed)
        asked = f"{', '.join(students)} about {len(self.pictures.x_test)} images of every set"
        say(f"{self.workshop.study}: repeat {seed}: asking {asked}", self.workshop.progress)
        outputs = Outputs(seed, self.pictures.y_test.cpu().numpy(), self._temperatures(members))
        outputs.raw = self._everybody(seed, students)
        outputs.facts = self._facts(seed, {ENSEMBLE: members, **students})
        outputs.validation = self._validated(seed, {ENSEMBLE: members, **students})
        return outputs

    def _everybody(self, seed: int, students: dict[str, Model]) -> dict[str, dict[str, Halves]]:
        """Ensemble, reference and students on all sets; each ensemble is asked once."""
        neighbour = self._neighbour(seed)
        ensembles = {ENSEMBLE: seed} if neighbour is None else {ENSEMBLE: seed, REFERENCE: neighbour}
        known = {role: self._ensembles[n] for role, n in ensembles.items() if n in self._ensembles}
        new = {role: self.workshop.members(n) for role, n in ensembles.items() if role not in known}
        raw = known | self._about({**new, **students})
        self._ensembles |= {n: raw[role] for role, n in ensembles.items()}
        return {name: raw[name] for name in (*ensembles, *students)}

    def _neighbour(self, seed: int) -> int | None:
        """The repeat before, or after the first one: those that come later change nothing for those that are there."""
        if not self._reference:
            return None
        return next((n for n in (seed - 1, seed + 1) if n >= 0 and self.workshop.has_members(n)), None)

    def _about(self, models: dict[str, Model]) -> dict[str, dict[str, Halves]]:
        """Set by set: images are read once for all."""
        raw: dict[str, dict[str, Halves]] = {name: {} for name in models}
        sets = sets_to_test_on(self.config, self.pictures, self.data)
        with reporter(self.workshop.progress, f"{len(models)} models", "set") as told:
            for number, (dataset, images) in enumerate(sets, 1):
                x = on_device(images, self.workshop.device)
                for name, model in models.items():
                    raw[name][dataset] = self._raw(model, x)
                told.update(number, number_of_sets(self.config), {})
        return raw

    def _raw(self, model: Model, x: Tensor) -> Halves:
        """In the precision of all training, so that it is asked in the time that this leaves."""
        return raw_outputs(model, x, self.config.student.precision)

    def _temperatures(self, members: Ensemble) -> np.ndarray[Any, np.dtype[np.float64]]:
        z = torch.as_tensor(self._raw(members, self.pictures.x_validation)).float()
        y = self.pictures.y_validation.cpu()
        return np.array([fit_temperature(each, y) for each in z.unbind(1)])

    def _facts(self, seed: int, models: dict[str, Model]) -> dict[str, dict[str, float]]:
        facts = {name: {"train_seconds": taken} for name, taken in self.workshop.seconds(seed).items()}
        for name, model in models.items():
            facts[name]["parameters"] = float(sum(p.numel() for p in model.parameters()))
            facts[name] |= self._cost(model)
        return facts

    def _cost(self, model: Model) -> dict[str, float]:
        """What an answer takes."""
        x = on_device(self.pictures.x_test[: max(TIMED)], self.workshop.device)
        return {f"ms_a_row@{size}": milliseconds_a_row(model, x, size) for size in TIMED}

    def _validated(self, seed: int, models: dict[str, Model]) -> dict[str, dict[str, float]]:
        """Scores of the students on validation images."""
        y, x = self.pictures.y_validation.cpu().numpy(), self.pictures.x_validation
        outputs = Outputs(seed, y, np.ones(self.config.members))
        outputs.raw = {name: {CLEAN: self._raw(model, x)} for name, model in models.items()}
        scores = Evaluation(outputs, self.workshop.forms(), self.workshop.device).scores
        return {name: found[CLEAN] for name, found in scores.items() if name in models}
