"""What the figures of the CIFAR-10 study draw."""

import numpy as np
import pytest
import torch

from endd.distributions import Members
from endd.models import Prediction
from endd.studies.cifar10_curves import COVERAGE, DRAWN, FALSE_ALARMS, SCATTERED, curves_of
from endd.studies.cifar10_methods import FAMILY
from endd.studies.cifar10_scores import Rows
from endd.studies.result import Result


def rows(count: int = 200, spread: float = 1.0, labelled: bool = True) -> Rows:
    y = torch.arange(count) % 10
    return Rows.of(Prediction(FAMILY, Members(spread * torch.randn(3, count, 10))), y if labelled else None)


def test_shapes(cifar10_study: tuple[object, Result]) -> None:
    curves = cifar10_study[1].curves
    for model in ("single", "ensemble", "mixture", "distilled", "distilled_paper"):
        for level in ("clean", "severity-1", "severity-5"):
            assert curves[f"{model}/risk/{level}"].shape == (2, len(COVERAGE))
        assert curves[f"{model}/roc/total"].shape == (2, len(FALSE_ALARMS))
    assert curves["distilled/epistemic/severity-5"].shape == (2 * 64,)  # of the first repeat
    assert "mixture/roc/epistemic" not in curves
    assert "reference/risk/clean" not in curves


def test_all_rows_kept_are_the_whole_risk() -> None:
    one = rows()
    curves = curves_of({"ensemble": {"clean": one}})
    assert one.wrong is not None
    assert curves["ensemble/risk/clean"][-1] == pytest.approx(one.wrong.double().mean().item(), rel=1e-6)


def test_corruptions_of_a_severity_are_one_panel() -> None:
    parts = {"clean": rows(), "fog-1": rows(), "snow-1": rows()}
    curves = curves_of({"ensemble": parts})
    wrong = torch.cat([parts[name].wrong for name in ("fog-1", "snow-1")]).double()  # type: ignore[misc]
    assert curves["ensemble/risk/severity-1"][-1] == pytest.approx(wrong.mean().item(), rel=1e-6)
    assert len(curves["ensemble/epistemic/severity-1"]) == DRAWN


def test_a_point_of_the_roc_curve_counts_images() -> None:
    inside, outside = rows(), rows(100, 0.9, labelled=False)
    curve = curves_of({"ensemble": {"clean": inside, "svhn": outside}})["ensemble/roc/total"]
    limit = np.quantile(inside.total.double(), 0.9)
    assert curve[10] == pytest.approx((outside.total.double() > limit).double().mean().item(), abs=1e-6)
    assert curve[0] < curve[10] < curve[-1] == 1
    assert np.all(np.diff(curve) >= 0)


def test_models_that_are_scattered_show_the_same_images() -> None:
    one = rows(1000)
    curves = curves_of({name: {"clean": one} for name in SCATTERED})
    assert one.epistemic is not None
    for name in SCATTERED:
        assert np.array_equal(curves[f"{name}/epistemic/clean"], curves["ensemble/epistemic/clean"])
    assert curves["ensemble/epistemic/clean"][0] == one.epistemic[0]
    assert len(curves["ensemble/epistemic/clean"]) == DRAWN
