"""What the charts draw."""

import numpy as np
import pytest
import torch

from endd import metrics
from endd.studies.fidelity_curves import LEVELS, curves_of
from endd.studies.fidelity_rows import errors, rows_of_pair
from endd.studies.fidelity_scores import resampled_places
from tests.studies.test_fidelity import data, pair


def made(kind: str, rows: int = 200, resamples: int = 20):  # type: ignore[no-untyped-def]
    teacher, student = pair(kind)
    x, y = data(kind, rows)
    found = rows_of_pair(teacher, student, x, y)
    return found, y, curves_of(found, y, resampled_places(rows, resamples, 0))


@pytest.mark.parametrize("kind", ["numbers", "classes", "counts"])
def test_curves_lie_in_their_bands(kind: str) -> None:
    _, _, curves = made(kind)
    for name in ("sparsification", "risk"):
        curve, (low, high) = curves[f"distilled/{name}"], curves[f"distilled/{name}_band"]
        inside = (low <= curve + 1e-9) & (curve <= high + 1e-9)
        assert inside.mean() > 0.8
        assert len(curve) == len(curves["fraction"])
    assert curves["distilled/sparsification"][0] == pytest.approx(1)


def test_the_risk_of_all_rows_is_the_mean_loss() -> None:
    rows, y, curves = made("numbers")
    expected = float(errors(rows["ensemble"], y).square().mean())
    assert curves["ensemble/risk"][-1] == pytest.approx(expected)


def test_calibration_of_numbers_and_of_classes() -> None:
    rows, y, curves = made("numbers")
    inside = (2 * rows["distilled"]["cdf"] - 1).abs().numpy()[:, None] <= LEVELS
    np.testing.assert_allclose(curves["distilled/calibration"], inside.mean(0))
    rows, y, curves = made("classes")
    bins = metrics.reliability(rows["distilled"]["probs"], y)
    assert len(curves["distilled/confidence"]) == int((bins.count >= 5).sum())
    _, _, counts = made("counts")
    assert not [name for name in counts if "calibration" in name or "confidence" in name]


def test_without_labels_or_resamples() -> None:
    rows, y, _ = made("numbers")
    bare = curves_of(rows, None, [])
    assert "fraction" not in bare
    assert bare["worst"].shape == (20, 7)
    assert not [name for name in curves_of(rows, y, []) if name.endswith("_band")]


def test_scatters_are_thinned() -> None:
    rows = {m: {part: torch.rand(1001) for part in ("total", "aleatoric", "epistemic", "mean", "kl")} for m in
            ("ensemble", "distilled")}  # fmt: skip
    curves = curves_of(rows, None, [])
    assert curves["scattered"].tolist() == list(range(0, 1001, 3))
    np.testing.assert_array_equal(curves["ensemble/total"], rows["ensemble"]["total"][::3].numpy())
