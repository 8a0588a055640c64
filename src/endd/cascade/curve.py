"""What asking costs and gains: the risk of a cascade against the share of rows that it asks the ensemble about."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from endd._checks import check_finite
from endd.models import Loss, Prediction, row_losses


@dataclass(frozen=True)
class CostRiskCurve:
    """The mean loss of a cascade on a validation set for every threshold that makes a difference there.

    threshold: falling, from the largest uncertainty (nobody is asked) to -infinity (always); cost: the share of rows
    asked, rising from 0 to 1; risk: the mean loss. All (T,), in float64. rows: of the validation set.
    """

    threshold: Float[Tensor, "T"]
    cost: Float[Tensor, "T"]
    risk: Float[Tensor, "T"]
    rows: int

    @property
    def gain(self) -> float:
        """By how much the ensemble's risk is below the student's."""
        return float(self.risk[0] - self.risk[-1])

    @property
    def share(self) -> Float[Tensor, "T"]:
        """The part of that gain which the cascade has, from 0 to 1 and, with luck, beyond."""
        if not self.gain > 0:
            raise ValueError(
                f"Expected an ensemble with less risk than the student to share a gain, but got {self.risk[-1]:.6g} "
                f"against {self.risk[0]:.6g}. The student alone is as good: use for_cost, or no cascade."
            )
        return (self.risk[0] - self.risk) / self.gain

    def for_cost(self, cost: float) -> float:
        """The lowest threshold with which a further row like these is asked about with probability `cost` at most.

        If a of n rows are above an uncertainty among them, a further row is with probability (a + 1) / (n + 1) at most
        (exchangeability): that is held against `cost`.
        """
        if not 0 <= cost <= 1:
            raise ValueError(f"Expected `cost` from 0 to 1, a share of rows, but got {cost}.")
        if cost == 1:
            return -math.inf
        within = (self.cost * self.rows).round() + 1 <= cost * (self.rows + 1) * (1 + 1e-12)
        return float(self.threshold[within][-1]) if bool(within.any()) else math.inf

    def for_risk(self, risk: float) -> float:
        """The cheapest threshold that has at most this risk on the validation set; on other rows it may be more."""
        return self._cheapest(self.risk <= risk, f"a risk of {risk:.6g}", f"the lowest is {float(self.risk.min()):.6g}")

    def for_share(self, share: float) -> float:
        """The cheapest threshold that has at least this share of the ensemble's gain on the validation set."""
        most = float(self.share.max())
        return self._cheapest(self.share >= share, f"a share of {share:.6g}", f"the largest is {most:.6g}")

    def _cheapest(self, reached: Tensor, wanted: str, best: str) -> float:
        if not bool(reached.any()):
            raise ValueError(f"Expected {wanted} to be within reach of the cascade, but {best}. Ask for less.")
        return float(self.threshold[int(reached.nonzero()[0])])


def cost_risk_curve(student: Prediction, ensemble: Prediction, y: Tensor, loss: Loss = "nll") -> CostRiskCurve:
    """The curve from both models' predictions for the same validation rows and their targets y; see `row_losses`.

    >>> import endd
    >>> x, y, family = torch.randn(50, 3), torch.randn(50), endd.families.Gaussian()
    >>> student = endd.Student(torch.nn.Linear(3, 5), family)
    >>> ensemble = endd.Ensemble([torch.nn.Linear(3, 2) for _ in range(4)], family)
    >>> curve = cost_risk_curve(student.predict(x), ensemble.predict(x), y)
    >>> int((student.predict(x).epistemic > curve.for_cost(0.2)).sum())
    9
    """
    if len(student) != len(ensemble):
        raise ValueError(f"Expected predictions for the same rows, but got {len(student)} and {len(ensemble)}.")
    before, after = row_losses(student, y, loss), row_losses(ensemble, y, loss)
    uncertainty = student.epistemic.double()
    check_finite("epistemic uncertainty", uncertainty, "Look at these rows of the input.")
    order = uncertainty.argsort(descending=True)
    ranked, n = uncertainty[order], len(order)
    # rows of equal uncertainty are asked together: a threshold lies only where the next row is another
    ends = torch.cat([ranked[1:] < ranked[:-1], ranked.new_ones(1, dtype=torch.bool)]).nonzero().squeeze(-1)
    asked = torch.cat([ends.new_zeros(1), ends + 1])
    moved = torch.cat([before.new_zeros(1), (after - before)[order].cumsum(0)])[asked]
    threshold = torch.cat([ranked[asked[:-1]], ranked.new_full((1,), -torch.inf)])
    return CostRiskCurve(threshold, asked.double() / n, before.mean() + moved / n, n)
