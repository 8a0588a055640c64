"""A prediction whose spread is corrected by one factor."""

from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from endd.integrals import Integrals
from endd.integrals.stretched import StretchedIntegrals
from endd.models.prediction import Prediction


class StretchedPrediction(Prediction):
    """What `base` says of y, said of mean + factor (y - mean): the mean stays, both variances get factor^2.

    `family` and `v` are those of the base, before the stretch. factor: a number, or a tensor without dimensions.
    """

    def __init__(self, base: Prediction, factor: float | Tensor) -> None:
        super().__init__(base.family, base.v)
        self.base, self.factor = base, torch.as_tensor(factor, dtype=torch.float64)

    @cached_property
    def _integrals(self) -> Integrals:
        return StretchedIntegrals(self.family, self.base._integrals, self.factor)

    def __repr__(self) -> str:
        return f"StretchedPrediction({self.base!r}, {float(self.factor):.6g})"

    def __getstate__(self) -> dict[str, Any]:
        return {"base": self.base, "factor": self.factor}

    def __setstate__(self, state: dict[str, Any]) -> None:
        StretchedPrediction.__init__(self, state["base"], state["factor"])
