"""Does uncertainty point at the errors? Remove the most uncertain rows first and watch the error fall.

Rows of equal uncertainty get the average over their random orders, so the order of the rows never matters.
References: Ilg et al. (2018), AUSE; Lindqvist et al. (2020), ten points; Geifman and El-Yaniv (2017), AURC.

>>> error = torch.tensor([0.1, -2.0, 0.5, 1.0])
>>> ause(error, uncertainty=error.abs())
tensor(0.)
>>> aurc(error.abs(), uncertainty=error.abs())
tensor(0.4583)
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Real
from torch import Tensor

from endd._checks import check_finite, check_option
from endd.metrics._inputs import double_rows, restore
from endd.metrics._ranks import ordered


class SparsificationCurve(NamedTuple):
    """Error of what remains, as a share of the error of all rows, against the fraction removed."""

    fraction: Float[Tensor, "T"]
    model: Float[Tensor, "T"]
    oracle: Float[Tensor, "T"]

    @property
    def area(self) -> Float[Tensor, ""]:
        """The area between the two curves, int (model - oracle), by the trapezoidal rule."""
        return torch.trapezoid(self.model - self.oracle, self.fraction)


class RiskCoverageCurve(NamedTuple):
    """Mean loss of the rows kept against the fraction kept."""

    coverage: Float[Tensor, "B"]
    risk: Float[Tensor, "B"]


def sparsification_curve(
    error: Float[Tensor, "B"], uncertainty: Float[Tensor, "B"], points: int | None = None, by: str = "mse"
) -> SparsificationCurve:
    """Error of the rows that remain once the k most uncertain are gone, divided by its value at k = 0.

    The oracle removes by the error itself. Both curves close with the point (1, 0).

    Shapes: error y - mean (B,), signed or absolute; uncertainty (B,), any monotone scale, infinity included.
    `by` is the error of a set of rows: "mse", "rmse" or "mae". `points=None` removes k = 0, ..., B - 1 rows,
    T = B + 1 points; `points=10` is the paper's: k = floor(B i / 9), i = 0..8, at the fractions k / B, then
    (1, 0). Where there is no error at all both curves are 0.
    """
    check_option("by", by, ("mse", "rmse", "mae"))
    if points is not None and points < 2:
        raise ValueError(f"Expected `points` of at least 2, but got {points}. Use points=None for all of them.")
    distance, key = double_rows(error=error, uncertainty=uncertainty)
    check_finite("`error`", distance, "Drop these rows.")
    loss = _scaled(distance) if by == "mae" else _scaled(distance).square()
    removed = _removed(len(loss), points, loss.device)
    model, oracle = (_relative(rows, removed, by) for rows in (ordered(loss, key), loss.sort().values))
    fraction = torch.cat([removed.double() / len(loss), loss.new_ones(1)])
    return SparsificationCurve(*(restore(part, error, uncertainty) for part in (fraction, model, oracle)))


def ause(error: Float[Tensor, "B"], uncertainty: Float[Tensor, "B"], by: str = "mse") -> Float[Tensor, ""]:
    """Area under the sparsification error: that of the curve over all B + 1 points. 0 is ideal."""
    return _area(error, uncertainty, None, by)


def ause10(error: Float[Tensor, "B"], uncertainty: Float[Tensor, "B"], by: str = "mse") -> Float[Tensor, ""]:
    """The same area over the ten points of Lindqvist et al. (2020)."""
    return _area(error, uncertainty, 10, by)


def risk_coverage_curve(loss: Real[Tensor, "B"], uncertainty: Float[Tensor, "B"]) -> RiskCoverageCurve:
    """Mean loss of the k least uncertain rows, for k = 1..B, against the coverage k / B.

    Shapes: loss (B,), any loss of a row (0/1 for classes); uncertainty (B,) -> two tensors (B,).
    """
    values, key = double_rows(loss=loss, uncertainty=uncertainty)
    check_finite("`loss`", values, "Drop these rows.")
    kept = torch.arange(1, len(values) + 1, dtype=torch.float64, device=values.device)
    risk = ordered(values, key).cumsum(0) / kept
    return RiskCoverageCurve(*(restore(part, loss, uncertainty) for part in (kept / len(values), risk)))


def aurc(loss: Real[Tensor, "B"], uncertainty: Float[Tensor, "B"]) -> Float[Tensor, ""]:
    """Area under the risk-coverage curve: the mean of its risks over the coverages 1/B, 2/B, ..., 1."""
    values, key = double_rows(loss=loss, uncertainty=uncertainty)
    return restore(risk_coverage_curve(values, key).risk.mean(), loss, uncertainty)


def _area(error: Tensor, uncertainty: Tensor, points: int | None, by: str) -> Tensor:
    values, key = double_rows(error=error, uncertainty=uncertainty)
    area = sparsification_curve(values, key, points, by).area
    # No order beats the oracle's: what is below 0 is rounding.
    return restore(area.clamp_min(0), error, uncertainty)


def _scaled(error: Tensor) -> Tensor:
    """|error| / max |error|: the curves are relative, and squares of numbers in [0, 1] cannot overflow."""
    return error.abs() / error.abs().max().clamp_min(torch.finfo(torch.float64).tiny)


def _removed(rows: int, points: int | None, device: torch.device) -> Tensor:
    """Numbers of rows removed, without the closing point."""
    if points is None:
        return torch.arange(rows, device=device)
    return torch.arange(points - 1, device=device) * rows // (points - 1)


def _relative(loss: Tensor, removed: Tensor, by: str) -> Tensor:
    """The curve of losses given from the least to the most uncertain row."""
    kept = len(loss) - removed
    remaining = loss.cumsum(0)[kept - 1] / kept
    curve = remaining.sqrt() if by == "rmse" else remaining
    if bool(curve[0] > 0):
        curve = curve / curve[0]
    return torch.cat([curve, curve.new_zeros(1)])
