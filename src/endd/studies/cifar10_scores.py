"""Scores of classifiers on a test set, row by row and on average, and of how well they speak for their teacher."""

from dataclasses import dataclass

import torch
from torch import Tensor

from endd import metrics
from endd.distributions import Atoms, TemperedPoint
from endd.models import Prediction
from endd.studies.evaluation import class_scores


@dataclass(frozen=True)
class Rows:
    """What a model says of every image of a set: its uncertainties (N,), and whether it was wrong.

    epistemic: None for one atom, which cannot split. temperature: of a model that learns one for every image.
    """

    total: Tensor
    aleatoric: Tensor
    epistemic: Tensor | None = None
    temperature: Tensor | None = None
    wrong: Tensor | None = None

    @classmethod
    def of(cls, prediction: Prediction, y: Tensor | None) -> "Rows":
        """From a prediction; y where there are classes."""
        v = prediction.v
        one = isinstance(v, Atoms) and len(v.atoms) == 1
        return cls(
            prediction.total,
            prediction.aleatoric,
            None if one else prediction.epistemic,
            v.temperature if isinstance(v, TemperedPoint) else None,
            None if y is None else prediction.probs.argmax(-1) != y,
        )

    def uncertainties(self) -> dict[str, Tensor]:
        """Those that there are, by name."""
        found = {
            "total": self.total,
            "aleatoric": None if self.epistemic is None else self.aleatoric,
            "epistemic": self.epistemic,
            "temperature": self.temperature,
        }
        return {name: values for name, values in found.items() if values is not None}


def pooled(parts: list[Rows]) -> Rows:
    """The rows of several sets as one."""
    kept: dict[str, Tensor | None] = {}
    for name in ("total", "aleatoric", "epistemic", "temperature", "wrong"):
        values = [getattr(part, name) for part in parts]
        kept[name] = None if values[0] is None else torch.cat(values)
    return Rows(**kept)  # type: ignore[arg-type]


def scores_of(prediction: Prediction, y: Tensor) -> dict[str, float]:
    """See `class_scores`."""
    return class_scores(prediction.probs, prediction.log_prob(y), prediction.total, y)


def averaged(scores: list[dict[str, float]]) -> dict[str, float]:
    """The mean of each score."""
    return {name: sum(each[name] for each in scores) / len(scores) for name in scores[0]}


def row_agreement(teacher: Rows, model: Rows) -> dict[str, float]:
    """Agreement on which images the members part over; where a model cannot say, by what it says instead."""
    assert teacher.epistemic is not None
    if model.epistemic is not None:
        return {
            "epistemic_spearman": metrics.spearman(teacher.epistemic, model.epistemic).item(),
            "epistemic_ratio": metrics.mean_ratio(teacher.epistemic, model.epistemic).item(),
            "rejection_overlap@10": metrics.rejection_overlap(teacher.epistemic, model.epistemic, 0.10).item(),
        }
    found = {"epistemic_spearman_entropy": metrics.spearman(teacher.epistemic, model.total).item()}
    if model.temperature is not None:
        found["epistemic_spearman_temperature"] = metrics.spearman(teacher.epistemic, model.temperature).item()
    return found


def detection_scores(inside: Rows, outside: Rows) -> dict[str, float]:
    """The area under the ROC curve of telling `outside` from `inside` by each uncertainty."""
    there = outside.uncertainties()
    return {
        f"auroc_{name}": metrics.auroc(values, there[name]).item() for name, values in inside.uncertainties().items()
    }
