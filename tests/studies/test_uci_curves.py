"""What the figures of the UCI study draw."""

import numpy as np
import torch

from endd.distributions import Members
from endd.families import Gaussian
from endd.models import Prediction
from endd.studies.result import Result
from endd.studies.uci_curves import DRAWN, LEVELS, POINTS, SCATTERED, uci_curves

NAMES = (*DRAWN, "reference")


def test_shapes(uci_result: Result) -> None:
    curves = uci_result.curves
    for dataset, rows, smallest in (("yacht", 63, 12), ("concrete", 87, 17)):
        assert curves[f"{dataset}/fraction"].shape == (smallest,)
        for name in DRAWN:
            assert curves[f"{dataset}/{name}_sparsification"].shape == (5, smallest)
            assert curves[f"{dataset}/{name}_coverage"].shape == (5, len(LEVELS))
        for name in ("ensemble", "distilled", "reference"):
            assert curves[f"{dataset}/{name}_epistemic"].shape == (rows,)


def test_curves_say_what_was_predicted() -> None:
    """Errors as large as stated: coverage is the level, and no curve is below its oracle's."""
    family = Gaussian()
    z = torch.randn(2, 4000, 2)
    prediction = Prediction(family, Members(z))
    y = prediction.sample()
    curves = uci_curves([dict.fromkeys(NAMES, prediction)], [y], len(y))
    assert np.allclose(curves["ensemble_coverage"][0], LEVELS, atol=0.03)
    assert len(curves["fraction"]) == POINTS
    assert np.all(curves["ensemble_sparsification"] >= curves["ensemble_oracle"] - 1e-6)
    assert len(curves["ensemble_epistemic"]) <= SCATTERED
