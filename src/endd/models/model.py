"""What ensembles and students have in common."""

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributions import Distribution

from endd._checks import check_finite, describe
from endd._elementary import exporting
from endd.families import Family
from endd.models.inputs import to_model
from endd.models.prediction import Prediction


class Model(nn.Module, ABC):
    """Callable x -> v, with gradients; `predict(x)` -> Prediction, without.

    weights: (M,), those of the atoms that v is made of; None where they are equal, or where there are none.
    """

    weights: Tensor | None = None

    def __init__(self, family: Family) -> None:
        if not isinstance(family, Family):
            raise TypeError(
                f"Expected a family such as endd.families.Gaussian(), but got {describe(family)}. "
                "The order is (networks, family)."
            )
        super().__init__()
        self.family = family

    @abstractmethod
    def _inference(self, inputs: Any) -> tuple[Distribution, Tensor]:
        """v for inputs on the right device, in eval mode, and the numbers it was made of, rows first."""

    def predict(self, x: Any) -> Prediction:
        """The prediction for a batch of inputs: a tensor, an array, or a dict or tuple of them.

        Inference only: no gradients, dropout off, running statistics for batch norm, whatever mode the networks are
        in; their mode is not changed. Inputs are moved to the model's device and dtype.
        """
        with torch.no_grad():
            v, raw = self._inference(to_model(x, self))
            if not exporting():
                check_finite("network outputs", raw, "Look for NaN in these rows of the input, or in the weights.")
            return Prediction(self.family, v)
