"""What is written about every row of a table."""

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import NDArray
from torch import Tensor

from endd.calibration import ConformalInterval
from endd.estimators import DistilledClassifier, DistilledRegressor
from endd.models import Prediction, Student

LEVEL = 0.95

Arrays = dict[str, NDArray[Any]]
Estimator = DistilledRegressor | DistilledClassifier


class Columns(ABC):
    """What is written about every row: encoded rows in, named arrays out."""

    student: Student

    @abstractmethod
    def of(self, prediction: Prediction) -> dict[str, Tensor]:
        """The columns of one prediction."""

    def part(self, x: Tensor) -> Arrays:
        """The columns of rows x (N, width)."""
        return {name: column.numpy() for name, column in self.of(self.student.predict(x)).items()}


class RegressionColumns(Columns):
    """mean, total, aleatoric, epistemic (variances) and the ends of a central interval, or of a conformal one.

    The network speaks in standardised units and float32; the user's units are put on in float64, so that a y far from
    0 keeps its digits, and its variance too.
    """

    def __init__(self, model: DistilledRegressor, interval: bool) -> None:
        self.family, self.interval = model.family_, interval
        self.student = Student(model.student_.net, model.family_.in_units(0.0, 1.0), model.student_.form).eval()
        self.student.attached = model.student_.attached  # what recalibrates has no units

    def of(self, prediction: Prediction) -> dict[str, Tensor]:
        """The columns of one prediction."""
        parts = prediction.decompose()
        # the mean of a Gaussian is linear in z
        found = {"mean": self._in_units(prediction.v.mean[..., 0])}
        for name in ("total", "aleatoric", "epistemic"):
            found[name] = getattr(parts, name).double() * self.family.scale**2
        if self.interval:
            found["lower"], found["upper"] = self._ends(prediction)
        return found

    def _ends(self, prediction: Prediction) -> tuple[Tensor, Tensor]:
        """Those of the conformal interval that is attached, else the model's own."""
        conformal = dict(self.student.attached.items()).get(ConformalInterval.name)
        if not isinstance(conformal, ConformalInterval):
            return self._both(prediction.interval(LEVEL))
        if conformal.method == "normalised":
            return self._both(conformal(prediction))  # in standard deviations
        return conformal.widened(*self._both(prediction.interval(conformal.level)))

    def _both(self, ends: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        return self._in_units(ends[0]), self._in_units(ends[1])

    def _in_units(self, y: Tensor) -> Tensor:
        return self.family.shift + self.family.scale * y.double()


class ClassColumns(Columns):
    """class, a probability p_CLASS for each, total, aleatoric, epistemic (entropies, in nats)."""

    def __init__(self, model: DistilledClassifier) -> None:
        self.student, self.classes = model.student_, model.classes_

    def of(self, prediction: Prediction) -> dict[str, Tensor]:
        """The columns of one prediction."""
        parts, probs = prediction.decompose(), prediction.probs
        found = {"class": probs.argmax(-1)} | {f"p_{name}": p for name, p in zip(self.classes, probs.T, strict=True)}
        return found | {name: getattr(parts, name) for name in ("total", "aleatoric", "epistemic")}

    def part(self, x: Tensor) -> Arrays:
        """The columns of rows x (N, width), classes by their names."""
        found = super().part(x)
        return found | {"class": self.classes[found["class"]]}


def columns_of(model: Estimator, interval: bool = True) -> Columns:
    """What is written about rows, for a fitted estimator."""
    return ClassColumns(model) if isinstance(model, DistilledClassifier) else RegressionColumns(model, interval)
