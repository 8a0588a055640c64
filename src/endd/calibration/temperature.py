"""Temperature scaling (Guo et al. 2017): one number that makes a classifier's probabilities honest."""

from typing import Any

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._checks import check_positive, describe
from endd.distributions import Atoms, Members
from endd.families import Categorical
from endd.models import Model

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
    """A model of classes whose logits are divided by a temperature; it must say atoms, as networks and ensembles do."""

    def __init__(self, model: Model, temperature: float) -> None:
        super().__init__(model.family)
        check_positive("temperature", temperature)
        if not isinstance(model.family, Categorical):
            raise TypeError(f"Expected a model of classes to put a temperature on, but got {model.family}.")
        self.model, self.temperature = model, temperature

    def forward(self, x: Any) -> Distribution:
        """The plain forward pass, with gradients."""
        return self._cooled(self.model(x))

    def _inference(self, inputs: Any) -> tuple[Distribution, Tensor]:
        v, raw = self.model._inference(inputs)
        return self._cooled(v), raw

    def _cooled(self, v: Distribution) -> Members:
        if not isinstance(v, Atoms):
            raise TypeError(f"Expected a model that says atoms, but got {v}.")
        return Members(v.atoms / self.temperature, v.weights)
