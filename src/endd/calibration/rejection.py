"""Accept where the model is sure enough: thresholds on an uncertainty, with what they promise."""

import math
from typing import Any

import torch
from torch import Tensor

from endd._checks import check_option
from endd.calibration.order import check_scores, order_threshold
from endd.calibration.risk import risk_threshold
from endd.models import Attachment, Loss, row_losses

UNCERTAINTIES = ("total", "aleatoric", "epistemic")


class Rejector(Attachment):
    """accept = uncertainty <= threshold, for the "total", "aleatoric" or "epistemic" uncertainty of a prediction.

    promise: what the threshold was chosen for, in plain numbers. An uncertainty that is NaN is not accepted.

    >>> import endd
    >>> prediction = endd.Prediction(endd.families.Gaussian(), endd.Members(torch.randn(5, 100, 2)))
    >>> rejector = Rejector.for_coverage(prediction, 0.9, by="epistemic")
    >>> int(rejector(prediction).sum())
    91
    """

    name = "rejector"

    def __init__(self, threshold: float, by: str = "total", promise: dict[str, float] | None = None) -> None:
        check_option("by", by, UNCERTAINTIES)
        if math.isnan(threshold):
            raise ValueError("Expected `threshold` to be a number, but got NaN.")
        super().__init__(threshold)
        self.by, self.promise = by, dict(promise or {})

    @property
    def threshold(self) -> Tensor:
        """The largest uncertainty that is accepted, a buffer."""
        return self.value

    def settings(self) -> dict[str, Any]:
        """by and promise."""
        return {"by": self.by, "promise": self.promise}

    def forward(self, prediction: Any) -> Tensor:
        """Which rows of a prediction are accepted, a mask (B,)."""
        return self.accept(getattr(prediction, self.by))

    def accept(self, uncertainty: Tensor) -> Tensor:
        """uncertainty <= threshold."""
        return uncertainty <= self.value

    @classmethod
    def for_coverage(
        cls, prediction: Any, coverage: float, *, by: str = "total", delta: float | None = None
    ) -> "Rejector":
        """Accept a further row like these with probability `coverage` at least; no labels are needed.

        The promise is an average over validation sets; with delta it holds for all but that part of them. See
        `endd.calibration.order_threshold`. Where uncertainties are equal more may be accepted.
        """
        check_option("by", by, UNCERTAINTIES)
        threshold = order_threshold(f"{by} uncertainty", getattr(prediction, by), coverage, delta)
        return cls(threshold, by, _promise(coverage=coverage, delta=delta, rows=len(prediction)))

    @classmethod
    def for_risk(
        cls,
        prediction: Any,
        y: Tensor,
        risk: float,
        *,
        loss: Loss = "zero_one",
        loss_range: tuple[float, float] | None = None,
        by: str = "total",
        delta: float = 0.05,
    ) -> "Rejector":
        """Accept as many as can be while the mean loss of what is accepted stays below `risk` with chance 1 - delta.

        The chance is that of drawing the validation rows, which must be independent. loss: see `row_losses`; any loss
        but "zero_one" needs the range that it cannot leave. See `endd.calibration.risk_threshold`.
        """
        check_option("by", by, UNCERTAINTIES)
        uncertainty = check_scores(f"{by} uncertainty", getattr(prediction, by))
        if loss_range is None and loss != "zero_one":
            raise ValueError("Expected `loss_range`, the least and the largest loss there can be, unless it is 0 or 1.")
        found = risk_threshold(uncertainty, row_losses(prediction, y, loss), risk, delta, loss_range)
        # in the precision of predictions, so that rows at the next uncertainty up stay out
        threshold = _below(found.limit, getattr(prediction, by).dtype)
        promise = _promise(risk=risk, delta=delta, bound=found.bound, coverage=found.coverage, rows=len(prediction))
        return cls(threshold, by, promise)


def _promise(**numbers: float | None) -> dict[str, float]:
    return {name: number for name, number in numbers.items() if number is not None}


def _below(limit: float, dtype: torch.dtype) -> float:
    """The largest number of this precision below the limit; infinity stays."""
    if limit == math.inf:
        return math.inf
    end = torch.tensor(limit, dtype=dtype)
    return float(torch.nextafter(end, torch.full_like(end, -math.inf)))
