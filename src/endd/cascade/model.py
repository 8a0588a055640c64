"""The student answers; the ensemble is asked where it does not know."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from endd._checks import describe
from endd.cascade.prediction import CascadePrediction
from endd.families import Categorical, Family
from endd.models import Model
from endd.models.inputs import take_rows


class Cascade(nn.Module):
    """predict(x): the student's answer, but the ensemble's for rows whose epistemic uncertainty is above a threshold.

    The ensemble sees those rows only. `endd.cascade.cost_risk_curve` says what a threshold costs and gains. A threshold
    of infinity never asks, one of -infinity always does.

    >>> import endd
    >>> family = endd.families.Gaussian()
    >>> student = endd.Student(nn.Linear(3, 5), family)
    >>> ensemble = endd.Ensemble([nn.Linear(3, 2) for _ in range(10)], family)
    >>> prediction = Cascade(student, ensemble, threshold=float("inf")).predict(torch.randn(8, 3))
    >>> prediction.mean.shape, int(prediction.asked.sum())
    (torch.Size([8]), 0)
    """

    threshold: Tensor

    def __init__(self, student: Model, ensemble: Model, threshold: float) -> None:
        super().__init__()
        for name, model in (("student", student), ("ensemble", ensemble)):
            if not isinstance(model, Model):
                raise TypeError(f"Expected `{name}` to be a model of endd, but got {describe(model)}.")
        if not _about_the_same(student.family, ensemble.family):
            raise ValueError(f"Expected two models of the same y, but got {student.family} and {ensemble.family}.")
        if math.isnan(threshold):
            raise ValueError("Expected `threshold` to be a number, but got NaN.")
        self.student, self.ensemble = student, ensemble
        self.register_buffer("threshold", torch.tensor(float(threshold), dtype=torch.float64))

    def predict(self, x: Any) -> CascadePrediction:
        """The prediction for a batch of inputs; `asked` says for which rows it is the ensemble's."""
        answer = self.student.predict(x)
        asked = answer.epistemic > self.threshold
        return CascadePrediction(
            answer, self.ensemble.predict(take_rows(x, asked)) if bool(asked.any()) else None, asked
        )


def _about_the_same(one: Family, other: Family) -> bool:
    """Whether both families are over the same kind of y, whatever its parameters."""
    if isinstance(one, Categorical) and isinstance(other, Categorical):
        return one.num_classes == other.num_classes
    return type(one) is type(other) and one.event_shape == other.event_shape
