"""The cost-risk curve against cascades run one by one."""

import math

import pytest
import torch
from torch import nn

import endd
from endd.cascade import CostRiskCurve, cost_risk_curve
from endd.families import Categorical, Gaussian
from endd.models import row_losses


def predictions(rows: int = 60, ties: bool = False) -> tuple[endd.Prediction, endd.Prediction, torch.Tensor]:
    raw = torch.randn(rows, 5, dtype=torch.float64)
    if ties:
        raw[:, 2:] = raw[:, 2:].round()
    student = endd.Prediction(Gaussian(), endd.FullNormal.from_raw(raw))
    ensemble = endd.Prediction(Gaussian(), endd.Members(torch.randn(4, rows, 2, dtype=torch.float64)))
    return student, ensemble, torch.randn(rows, dtype=torch.float64)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("loss", ["nll", "squared"])
def test_every_point_is_a_cascade(loss: str, ties: bool) -> None:
    student, ensemble, y = predictions(ties=ties)
    curve = cost_risk_curve(student, ensemble, y, loss)
    before, after = row_losses(student, y, loss), row_losses(ensemble, y, loss)
    for threshold, cost, risk in zip(curve.threshold, curve.cost, curve.risk, strict=True):
        asked = student.epistemic > threshold
        assert float(cost) == pytest.approx(float(asked.double().mean()))
        assert float(risk) == pytest.approx(float(torch.where(asked, after, before).mean()))
    assert (float(curve.cost[0]), float(curve.cost[-1])) == (0, 1)
    assert len(curve.cost) == len(student.epistemic.unique()) + 1


def test_zero_one_with_models() -> None:
    family, x, y = Categorical(3), torch.randn(50, 4), torch.randint(0, 3, (50,))
    student = endd.Student(nn.Linear(4, endd.num_outputs(family)), family)
    ensemble = endd.Ensemble([nn.Linear(4, 3) for _ in range(3)], family)
    curve = cost_risk_curve(student.predict(x), ensemble.predict(x), y, "zero_one")
    threshold = curve.for_cost(0.3)
    cascade = endd.Cascade(student, ensemble, threshold).predict(x)
    wrong = float((cascade.probs.argmax(-1) != y).double().mean())
    assert wrong == pytest.approx(float(curve.risk[curve.threshold == threshold]))


CURVE = CostRiskCurve(
    threshold=torch.tensor([4.0, 3.0, 2.0, 1.0, -math.inf]).double(),
    cost=torch.tensor([0.0, 0.25, 0.5, 0.75, 1.0]).double(),
    risk=torch.tensor([1.0, 0.6, 0.7, 0.4, 0.5], dtype=torch.float64),
    rows=4,
)


def test_thresholds_by_hand() -> None:
    assert CURVE.for_cost(0.4) == 3  # one of four asked: a fifth is with probability 2 / 5
    assert CURVE.for_cost(0.39) == 4
    assert CURVE.for_cost(0.1) == math.inf  # even above the largest of four a fifth is with probability 1 / 5
    assert CURVE.for_cost(1.0) == -math.inf
    assert CURVE.for_risk(0.65) == 3
    assert CURVE.for_risk(0.5) == 1
    assert CURVE.for_share(0.8) == 3
    assert CURVE.for_share(1.2) == 1
    assert CURVE.gain == 0.5


def test_the_cost_is_kept_on_average() -> None:
    """Uniform uncertainties: the share of all rows above a threshold is known."""
    shares = []
    for _ in range(2000):
        u = torch.rand(30, dtype=torch.float64).sort(descending=True).values
        curve = CostRiskCurve(torch.cat([u, u.new_tensor([-math.inf])]), torch.arange(31) / 30, torch.zeros(31), 30)
        shares.append(1 - min(curve.for_cost(0.2), 1.0))
    assert 0.2 - 1 / 31 - 0.005 < sum(shares) / 2000 < 0.2 + 0.005


def test_what_is_out_of_reach_is_one_line() -> None:
    with pytest.raises(ValueError, match=r"a risk of 0\.3 .* but the lowest is 0\.4\. Ask for less\."):
        CURVE.for_risk(0.3)
    with pytest.raises(ValueError, match=r"a share of 2 .* but the largest is 1\.2"):
        CURVE.for_share(2.0)
    with pytest.raises(ValueError, match="`cost` from 0 to 1"):
        CURVE.for_cost(20)
    worse = CostRiskCurve(CURVE.threshold, CURVE.cost, CURVE.risk.flip(0), 4)
    with pytest.raises(ValueError, match="Expected an ensemble with less risk than the student"):
        worse.for_share(0.5)
    student, _, y = predictions()
    with pytest.raises(ValueError, match="the same rows, but got 60 and 20"):
        cost_risk_curve(student, predictions(20)[1], y)
