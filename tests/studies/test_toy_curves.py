"""What the figures draw."""

import numpy as np

from endd.studies.result import Result
from endd.studies.toy_curves import DRAWN, GRID


def test_shapes(toy_result: Result) -> None:
    curves = toy_result.curves
    assert curves["train_x"].shape == curves["train_y"].shape == (64,)
    for name in DRAWN:
        for part in ("mean", "aleatoric", "epistemic"):
            assert curves[f"{name}_{part}"].shape == (GRID,)
        assert curves[f"{name}_sparsification"].shape == curves[f"{name}_oracle"].shape == (2, 50)
    assert curves["members_z"].shape == (3, 2, 2)
    assert curves["distilled_covariance"].shape == (2, 2, 2)


def test_curves_hold_together(toy_result: Result) -> None:
    curves = toy_result.curves
    assert np.all(curves["mixture_epistemic"] == 0)
    assert np.all(curves["ensemble_epistemic"] >= 0)
    for name in DRAWN:
        # at any depth no order of removal beats the oracle's
        assert np.all(curves[f"{name}_sparsification"] >= curves[f"{name}_oracle"] - 1e-6)
        assert np.all(curves[f"{name}_oracle"][:, 0] == 1)


def test_bands_and_plane_are_of_the_same_model(toy_result: Result) -> None:
    curves = toy_result.curves
    middle = GRID // 2
    assert curves["places"][0] == 0
    assert np.isclose(curves["x"][middle], 0, atol=1e-6)
    assert np.isclose(curves["members_z"][:, 0, 0].mean(), curves["ensemble_mean"][middle], atol=1e-5)
    assert np.isclose(curves["distilled_covariance"][0, 0, 0], curves["distilled_epistemic"][middle], rtol=1e-4)


def test_the_truth_is_the_laws(toy_result: Result) -> None:
    mean, raw = toy_result.curves["true_z"][0]
    assert mean == 0
    assert np.isclose(np.log1p(np.exp(raw)), 0.075)
