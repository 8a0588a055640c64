"""What is fitted on held-out data and travels with a student: a recalibration, a threshold, a margin."""

from abc import ABC
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from endd._checks import describe
from endd.models.prediction import Prediction


class Attachment(nn.Module, ABC):
    """One number, fitted after training, and what it does to a prediction.

    The number is a buffer, so that it moves, is saved and is exported with the student. A subclass that recalibrates
    says so (`recalibrates`) and overrides `recalibrate`; any other only reads predictions.
    """

    name: ClassVar[str]
    """Under which a student keeps it; it has one of each name."""

    recalibrates: ClassVar[bool] = False
    """Whether the student's predictions change."""

    value: Tensor

    def __init__(self, value: float) -> None:
        super().__init__()
        self.register_buffer("value", torch.tensor(float(value), dtype=torch.float64))

    def recalibrate(self, prediction: Prediction) -> Prediction:
        """The prediction that the student makes instead."""
        return prediction

    def settings(self) -> dict[str, Any]:
        """All that the number alone does not tell, as keyword arguments in plain types."""
        return {}

    def extra_repr(self) -> str:
        """Shown by repr()."""
        parts = {"value": f"{float(self.value):.6g}", **self.settings()}
        return ", ".join(f"{name}={part}" for name, part in parts.items())


def attach(attached: nn.ModuleDict, part: Any) -> None:
    """Add to a student's attachments. A recalibration comes before all that was fitted to the predictions."""
    if not isinstance(part, Attachment):
        raise TypeError(f"Expected something to attach, such as an endd.Rejector, but got {describe(part)}.")
    if part.recalibrates and len(attached):
        raise ValueError(
            f"Expected `{part.name}` before all that was fitted to the student's predictions, but it has "
            f"{', '.join(attached)} already. Delete these from student.attached and fit them again afterwards."
        )
    attached[part.name] = part
