"""Temperature scaling (Guo et al. 2017): one number that makes a classifier's probabilities honest."""

from typing import Any

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._checks import check_positive, describe
from endd.calibration.cooling import cooled
from endd.calibration.line import best_positive
from endd.families import Bernoulli, Categorical, Family
from endd.models import Attachment, Model, Prediction, row_losses

# Halvings of the search over log T.
LOW, HIGH, BISECTIONS = -6.0, 6.0, 60


def fit_temperature(logits: Tensor, y: Tensor) -> float:
    """The T at which softmax(logits / T) has the best likelihood of classes y; logits (N, K), y (N,).

    In b = 1 / T the mean log-likelihood is concave with slope E[z_y - sum_k p_k z_k]: its zero is found by bisection.

    >>> z = torch.tensor([[2.0, 0.0]] * 4)
    >>> round(fit_temperature(z, torch.tensor([0, 0, 0, 1])), 3)  # right three times of four: odds of 3
    1.82
    """
    if logits.ndim != 2 or y.shape != logits.shape[:1]:
        raise ValueError(f"Expected logits (N, K) and classes (N,), but got {describe(logits)} and {describe(y)}.")
    logits = logits.double()
    chosen = logits.gather(1, y.long().unsqueeze(1)).squeeze(1)
    low, high = LOW, HIGH
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        probs = (logits / torch.e**middle).softmax(1)
        # a positive slope asks for a larger 1 / T
        cooler = float((chosen - (probs * logits).sum(1)).mean()) > 0
        low, high = (low, middle) if cooler else (middle, high)
    return float(torch.e ** ((low + high) / 2))


class Tempered(Model):
    """A model of classes whose logits are divided by a temperature; see `cooled` for what that is of a density."""

    def __init__(self, model: Model, temperature: float) -> None:
        super().__init__(model.family)
        check_positive("temperature", temperature)
        _check_logits(model.family)
        self.model, self.temperature = model, temperature

    @property
    def weights(self) -> Tensor | None:  # type: ignore[override]
        """Those of the model."""
        return self.model.weights

    def forward(self, x: Any) -> Distribution:
        """The plain forward pass, with gradients."""
        return cooled(self.model(x), self.temperature)

    def _inference(self, inputs: Any) -> tuple[Distribution, Tensor]:
        v, raw = self.model._inference(inputs)
        return cooled(v, self.temperature), raw


class TemperatureScaling(Attachment):
    """Divides the logits z of a student's predictions by a temperature, whatever its v: see `cooled`.

    >>> import endd
    >>> prediction = endd.Prediction(endd.families.Categorical(3), endd.Point(torch.tensor([[2.0, 0.0, 0.0]])))
    >>> TemperatureScaling(2.0).recalibrate(prediction).probs
    tensor([[0.5761, 0.2119, 0.2119]])
    """

    name = "temperature"
    recalibrates = True

    def __init__(self, temperature: float) -> None:
        check_positive("temperature", temperature)
        super().__init__(temperature)

    @property
    def temperature(self) -> Tensor:
        """T, a buffer."""
        return self.value

    @classmethod
    def fit(cls, prediction: Prediction, y: Tensor) -> "TemperatureScaling":
        """The T of the greatest likelihood of held-out labels y under the marginal predictive."""
        _check_logits(prediction.family)
        row_losses(prediction, y)  # says what is wrong with y

        def loss(temperature: float) -> float:
            return -float(Prediction(prediction.family, cooled(prediction.v, temperature)).log_prob(y).double().mean())

        with torch.no_grad():
            return cls(best_positive(loss))

    def recalibrate(self, prediction: Prediction) -> Prediction:
        """The prediction at this temperature."""
        _check_logits(prediction.family)
        return Prediction(prediction.family, cooled(prediction.v, self.value))


def _check_logits(family: Family) -> None:
    if not isinstance(family, Categorical | Bernoulli):
        raise TypeError(f"Expected a model of classes to put a temperature on, but got {family}.")
