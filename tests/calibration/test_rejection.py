"""Rejectors: thresholds on predictions."""

import math

import pytest
import torch

import endd
from endd.calibration import order_threshold
from endd.families import Categorical, Gaussian


def classes(rows: int, seed: int = 0) -> tuple[endd.Prediction, torch.Tensor]:
    """Members that agree on some rows and not on others, and classes drawn from their mixture."""
    generator = torch.Generator().manual_seed(seed)
    sure = 6 * torch.rand(rows, 1, generator=generator)
    z = torch.randn(5, rows, 3, generator=generator) + sure * torch.eye(3)[torch.arange(rows) % 3]
    prediction = endd.Prediction(Categorical(3), endd.Members(z))
    return prediction, torch.multinomial(prediction.probs, 1, generator=generator).squeeze(1)


@pytest.mark.parametrize("by", ["total", "aleatoric", "epistemic"])
def test_a_wanted_coverage(by: str) -> None:
    prediction, _ = classes(99)
    rejector = endd.Rejector.for_coverage(prediction, 0.8, by=by)
    assert float(rejector.threshold) == order_threshold("u", getattr(prediction, by), 0.8)
    assert int(rejector(prediction).sum()) == 80
    assert rejector.promise == {"coverage": 0.8, "rows": 99}
    stricter = endd.Rejector.for_coverage(prediction, 0.8, by=by, delta=0.05)
    assert stricter.threshold > rejector.threshold


def test_a_wanted_risk() -> None:
    prediction, y = classes(2000)
    rejector = endd.Rejector.for_risk(prediction, y, 0.1)
    accepted = rejector(prediction)
    wrong = (prediction.probs.argmax(-1) != y).double()
    assert float(accepted.double().mean()) == pytest.approx(rejector.promise["coverage"])
    assert float(wrong[accepted].mean()) < rejector.promise["bound"] <= 0.1 < float(wrong.mean())
    other, labels = classes(4000, seed=1)
    again = (other.probs.argmax(-1) != labels).double()[rejector(other)]
    assert float(again.mean()) <= 0.1


def test_a_loss_in_a_range() -> None:
    prediction = endd.Prediction(Gaussian(), endd.Members(torch.randn(5, 400, 2)))
    y = prediction.sample()
    clipped = lambda p, target: (target - p.mean).square().clamp(max=10)  # noqa: E731
    rejector = endd.Rejector.for_risk(prediction, y, 3.5, loss=clipped, loss_range=(0.0, 10.0), by="epistemic")
    assert rejector.by == "epistemic"
    assert rejector.promise["bound"] <= 3.5
    with pytest.raises(ValueError, match="Expected `loss_range`"):
        endd.Rejector.for_risk(prediction, y, 3.5, loss="squared")


def test_what_is_at_the_limit_stays_out() -> None:
    """The next uncertainty up is not accepted, by as little as float32 can tell."""
    prediction, y = classes(2000)
    rejector = endd.Rejector.for_risk(prediction, y, 0.1)
    ranked = prediction.total.sort().values
    kept = int(rejector(prediction).sum())
    assert not rejector.accept(ranked[kept])
    assert rejector.accept(ranked[kept - 1])


def test_nan_is_not_accepted() -> None:
    assert endd.Rejector(1.0).accept(torch.tensor([0.5, 1.0, 1.5, math.nan])).tolist() == [True, True, False, False]
    with pytest.raises(ValueError, match="`threshold` to be a number"):
        endd.Rejector(math.nan)
    with pytest.raises(ValueError, match="'total', 'aleatoric', 'epistemic', but got 'both'"):
        endd.Rejector(1.0, "both")
