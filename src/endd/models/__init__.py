"""Models: callable x -> v, with predict(x) -> Prediction."""

from endd.models.ensemble import Ensemble
from endd.models.model import Model
from endd.models.prediction import Prediction
from endd.models.student import Student, default_form, num_outputs

__all__ = ["Ensemble", "Model", "Prediction", "Student", "default_form", "num_outputs"]
