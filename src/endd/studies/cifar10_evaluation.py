"""From the outputs of a repeat to its numbers and curves: the same on a GPU after training and from a kept file."""

from collections.abc import Iterator

import torch
from torch import Tensor

from endd.distributions import Point
from endd.metrics import kl_marginal
from endd.models import Prediction
from endd.studies.cifar10_curves import Array, curves_of
from endd.studies.cifar10_images import CLEAN, SVHN, VALIDATION
from endd.studies.cifar10_methods import FAMILY, Kind
from endd.studies.cifar10_outputs import ENSEMBLE, REFERENCE, Outputs, said
from endd.studies.cifar10_scores import Rows, averaged, detection_scores, pooled, row_agreement, scores_of
from endd.studies.result import Record, records_of

#: All corrupted sets together.
CORRUPTED = "corrupted"
SINGLE, TEMPERATURE = "single", "temperature"
#: The members asked about mirror images too, together and one by one.
SYMMETRIC, SYMMETRIC_SINGLE = "ensemble_symmetric", "single_symmetric"
#: What the ensemble's members are too: they trained once.
OF_MEMBERS = (SINGLE, TEMPERATURE, SYMMETRIC_SINGLE, SYMMETRIC)
#: Names of the agreement between two ensembles, which stand in the teacher's row.
OF_REFERENCE = {
    "kl_teacher": "kl_reference",
    "epistemic_spearman": "epistemic_spearman_reference",
    "epistemic_ratio": "epistemic_ratio_reference",
    "rejection_overlap@10": "rejection_overlap_reference@10",
}
Scores = dict[str, dict[str, dict[str, float]]]


class Evaluation:
    """The scores of a repeat, `scores[model][set]`, gathered set by set."""

    def __init__(self, outputs: Outputs, methods: dict[str, Kind], device: torch.device) -> None:
        self.outputs, self.methods, self.device = outputs, methods, device
        self.y = torch.as_tensor(outputs.y).to(device)
        self.scores: Scores = {}
        self.rows: dict[str, dict[str, Rows]] = {}
        # of every member, where no average over rows says what SVHN needs
        self.rows_alone: dict[str, dict[str, list[Rows]]] = {}
        for name in outputs.sets():
            self._set(name)
        self._together()

    def records(self) -> Iterator[Record]:
        """All numbers."""
        for model, facts in self.outputs.facts.items():
            self._note(model, CLEAN, facts)
        for model, found in self.outputs.validation.items():
            self._note(model, VALIDATION, found)
        for model, by_set in self.scores.items():
            for name, found in by_set.items():
                # a number for each corrupted set is too much of a curve that is drawn anyway
                kept = found if name == CLEAN else {metric: found[metric] for metric in found if metric != "aurc"}
                yield from records_of(model, name, "test", self.outputs.seed, kept)

    def curves(self) -> dict[str, Array]:
        """What figures draw."""
        return curves_of(self.rows)

    def _note(self, model: str, name: str, scores: dict[str, float]) -> None:
        """Keep scores; those of the reference stand in the teacher's row under names of their own."""
        if model == REFERENCE:
            model, scores = ENSEMBLE, {OF_REFERENCE[metric]: value for metric, value in scores.items()}
        self.scores.setdefault(model, {}).setdefault(name, {}).update(scores)

    def _predictions(self, name: str) -> dict[str, Prediction]:
        found = {}
        for model, raw in self.outputs.raw.items():
            v = said(model, torch.as_tensor(raw[name]).to(self.device).float(), self.methods)
            found[model] = Prediction(self.methods[model].family if model in self.methods else FAMILY, v)
        return found

    def _set(self, name: str) -> None:
        y = None if name == SVHN else self.y
        predictions = self._predictions(name)
        teacher = predictions[ENSEMBLE]
        for model, prediction in predictions.items():
            rows = Rows.of(prediction, y)
            self.rows.setdefault(model, {})[name] = rows
            if y is None:
                continue
            if model != REFERENCE:
                self._note(model, name, scores_of(prediction, y))
            if model != ENSEMBLE:
                kl = kl_marginal(teacher.marginal, prediction.marginal).mean().item()
                agreement = row_agreement(self.rows[ENSEMBLE][name], rows)
                self._note(model, name, {"kl_teacher": kl} | agreement)
        z: Tensor = teacher.v.atoms  # type: ignore[attr-defined]
        self._alone(SINGLE, name, z, y)
        self._alone(TEMPERATURE, name, z / torch.as_tensor(self.outputs.temperatures).to(z)[:, None, None], y)
        if SYMMETRIC in predictions:
            self._alone(SYMMETRIC_SINGLE, name, predictions[SYMMETRIC].v.atoms, y)  # type: ignore[attr-defined]

    def _alone(self, model: str, name: str, z: Tensor, y: Tensor | None) -> None:
        """Members one by one; rows are those of the first."""
        alone = [Prediction(FAMILY, Point(each)) for each in z]
        self.rows.setdefault(model, {})[name] = Rows.of(alone[0], y)
        if name in (CLEAN, SVHN):
            self.rows_alone.setdefault(model, {})[name] = [Rows.of(prediction, y) for prediction in alone]
        if y is not None:
            self._note(model, name, averaged([scores_of(prediction, y) for prediction in alone]))

    def _together(self) -> None:
        """Agreement over all corrupted sets as one, and detection of SVHN."""
        for model, found in self.rows.items():
            if SVHN in found and model != REFERENCE and model not in self.rows_alone:
                self._note(model, SVHN, detection_scores(found[CLEAN], found[SVHN]))
        for model, alone in self.rows_alone.items():
            if SVHN in alone:
                pairs = zip(alone[CLEAN], alone[SVHN], strict=True)
                self._note(model, SVHN, averaged([detection_scores(inside, outside) for inside, outside in pairs]))
        names = [name for name in self.outputs.sets() if name not in (CLEAN, SVHN)]
        if not names:
            return
        whole = {model: pooled([found[name] for name in names]) for model, found in self.rows.items()}
        for model in self.outputs.raw:
            if model != ENSEMBLE:
                kept = "kl_reference" if model == REFERENCE else "kl_teacher"
                by_set = self.scores[ENSEMBLE if model == REFERENCE else model]
                kl = sum(by_set[name][kept] for name in names) / len(names)
                self._note(model, CORRUPTED, {"kl_teacher": kl} | row_agreement(whole[ENSEMBLE], whole[model]))
