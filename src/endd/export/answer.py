"""What an exported graph computes: inputs in, the named numbers of their prediction out."""

from typing import Any

from torch import Tensor, nn

from endd.calibration import ConformalInterval, ConformalSet, Rejector
from endd.families import Family, Gaussian, MultivariateGaussian
from endd.models import Model, Prediction, Student

LEVEL = 0.95
PARTS = ("total", "aleatoric", "epistemic")


class Answer(nn.Module):
    """A model as one module of tensors: what `predict` says, by name, and what is attached to a student makes of it.

    inputs: a module that turns the graph's inputs into the model's, as a table's encoder does; None if they are the
    same. interval: whether `lower` and `upper` are among the outputs.

    >>> import torch, endd
    >>> student = endd.Student(endd.nn.MLP(3, [5], 5), endd.families.Gaussian())
    >>> list(Answer(student)(torch.zeros(2, 3)))
    ['mean', 'total', 'aleatoric', 'epistemic', 'lower', 'upper']
    >>> list(Answer(student.attach(endd.Rejector(0.5)), interval=False)(torch.zeros(2, 3)))
    ['mean', 'total', 'aleatoric', 'epistemic', 'accept']
    """

    def __init__(self, model: Model, inputs: nn.Module | None = None, *, interval: bool = True) -> None:
        super().__init__()
        self.model, self.inputs = model, inputs
        self.interval = interval and has_interval(model)

    def forward(self, x: Any) -> dict[str, Tensor]:
        """The prediction for a tensor, or a dict or tuple of them."""
        if self.inputs is not None:
            x = self.inputs(**x)
        prediction = self.model.predict(x)
        first = "probabilities" if has_classes(self.model.family) else "mean"
        answer = {first: prediction.probs if first == "probabilities" else prediction.mean}
        answer |= {part: getattr(prediction, part) for part in PARTS}
        return answer | self._ends(prediction) | _decisions(self.model, prediction)

    def _ends(self, prediction: Prediction) -> dict[str, Tensor]:
        """Those of the conformal interval if there is one, else the model's own."""
        if not self.interval:
            return {}
        conformal = attached_to(self.model).get("interval")
        ends = prediction.interval(LEVEL) if conformal is None else conformal(prediction)
        return dict(zip(("lower", "upper"), ends, strict=True))


def _decisions(model: Model, prediction: Prediction) -> dict[str, Tensor]:
    """What a student's rejector and its conformal sets say."""
    attached = attached_to(model)
    found = {"accept": attached["rejector"](prediction)} if "rejector" in attached else {}
    return found | ({"set": attached["set"](prediction)} if "set" in attached else {})


def attached_to(model: Model) -> dict[str, Any]:
    """What is attached to a student and has outputs of its own, by name; recalibrations are inside `predict`."""
    parts = model.attached.items() if isinstance(model, Student) else ()
    return {name: part for name, part in parts if isinstance(part, ConformalInterval | ConformalSet | Rejector)}


def has_classes(family: Family) -> bool:
    """Whether y is a label, of which the graph says probabilities."""
    return family.default_measure == "entropy"


def has_interval(model: Model) -> bool:
    """Whether y is a number, or the student was given intervals."""
    return isinstance(model.family, Gaussian | MultivariateGaussian) or "interval" in attached_to(model)
