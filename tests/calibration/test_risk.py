"""Selection with guaranteed risk: by hand, and over many validation sets of which the truth is known."""

import math

import numpy as np
import pytest
import torch

from endd.calibration import risk_threshold
from endd.calibration.bounds import clopper_pearson, hoeffding_bentkus

RANDOM = np.random.default_rng(0)


def test_by_hand() -> None:
    """The 70 surest of 100 rows are right: 70 of them pass, with the next limit there is an error too many."""
    uncertainty, losses = torch.arange(100.0), (torch.arange(100) >= 70).double()
    found = risk_threshold(uncertainty, losses, 0.12, 0.1)
    assert (found.limit, found.coverage) == (70, 0.7)
    assert found.bound == clopper_pearson(0, 70, 0.1 / 20)
    assert clopper_pearson(5, 75, 0.1 / 20) > 0.12


def test_all_may_be_kept() -> None:
    found = risk_threshold(torch.rand(500), torch.zeros(500), 0.05, 0.05)
    assert (found.limit, found.coverage) == (math.inf, 1)


def test_losses_in_a_range() -> None:
    losses = 10 + torch.rand(400, dtype=torch.float64)
    found = risk_threshold(torch.rand(400), losses, 12.0, 0.05, (10.0, 20.0))
    mean = float((losses.mean() - 10) / 10)
    assert found.bound == pytest.approx(10 + 10 * hoeffding_bentkus(mean, 400, 0.05 / 20))


@pytest.mark.parametrize("steps", [None, 6])
@pytest.mark.parametrize("falling", [False, True])
def test_it_holds_for_nearly_every_validation_set(steps: int | None, falling: bool) -> None:
    """P(error | u) = 0.4 u, or the other way round, for u uniform or on a few values: the true risk is known."""
    delta, risk, rows, broken, found = 0.2, 0.15, 300, 0, 0
    levels = np.linspace(0, 1, 100_001) if steps is None else np.arange(steps) / steps
    chance = 0.4 * (1 - levels if falling else levels)
    for _ in range(400):
        place = RANDOM.integers(0, len(levels), rows)
        losses = RANDOM.random(rows) < chance[place]
        try:
            limit = risk_threshold(torch.tensor(levels[place]), torch.tensor(losses), risk, delta).limit
        except ValueError:
            continue
        found += 1
        broken += chance[levels < limit].mean() > risk
    assert broken <= 400 * delta
    assert falling or found > 300


def test_equal_uncertainties_stay_together() -> None:
    uncertainty = torch.tensor([0.0] * 120 + [1.0] * 80)
    losses = torch.cat([torch.zeros(120), torch.ones(80)])
    found = risk_threshold(uncertainty, losses, 0.1, 0.05)
    assert (found.limit, found.coverage) == (1, 0.6)


def test_what_cannot_be_is_one_line() -> None:
    with pytest.raises(ValueError, match=r"^Expected a risk that some threshold keeps, but of 50 .* more rows\.$"):
        risk_threshold(torch.rand(50), torch.ones(50), 0.1, 0.05)
    with pytest.raises(ValueError, match="losses that are 0 or 1, but got others"):
        risk_threshold(torch.rand(50), torch.rand(50), 0.1, 0.05)
    with pytest.raises(ValueError, match=r"losses from 0 to 0.5, but got losses from 0 to 0.98"):
        risk_threshold(torch.rand(50), torch.arange(50.0) / 50, 0.1, 0.05, (0.0, 0.5))
    with pytest.raises(ValueError, match=r"`risk` between 0 and 1, the range of the loss, but got 1.5"):
        risk_threshold(torch.rand(50), torch.zeros(50), 1.5, 0.05)
    with pytest.raises(ValueError, match="two finite numbers"):
        risk_threshold(torch.rand(50), torch.zeros(50), 0.5, 0.05, (0.0, math.inf))
    with pytest.raises(ValueError, match="uncertainty without NaN"):
        risk_threshold(torch.full((5,), math.nan), torch.zeros(5), 0.5, 0.05)
