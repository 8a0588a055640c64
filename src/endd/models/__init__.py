"""Models: callable x -> v, with predict(x) -> Prediction."""

from endd.models.attachment import Attachment
from endd.models.ensemble import Ensemble
from endd.models.losses import Loss, row_losses
from endd.models.model import Model
from endd.models.prediction import Prediction
from endd.models.student import Student, default_form, num_outputs

__all__ = [
    "Attachment",
    "Ensemble",
    "Loss",
    "Model",
    "Prediction",
    "Student",
    "default_form",
    "num_outputs",
    "row_losses",
]
