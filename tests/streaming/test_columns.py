"""What is written about rows, in the user's units."""

import copy
from typing import Any

import numpy as np
import pytest
import torch

from endd.calibration import VarianceScaling
from endd.streaming.columns import ClassColumns, RegressionColumns, columns_of


def test_far_from_zero_digits_are_kept(priced: Any) -> None:
    """The same model, its target moved by 1e9: float32 would know it to the nearest 64."""
    model = priced[1]
    x = torch.randn(20, model.encoder_.width)
    near = columns_of(model).part(x)
    family = model.family_
    try:
        model.family_ = family.in_units(family.shift + 1e9, family.scale)
        far = columns_of(model).part(x)
    finally:
        model.family_ = family
    for name in ("mean", "lower", "upper"):
        np.testing.assert_allclose(far[name] - 1e9, near[name], atol=1e-5)
    for name in ("total", "aleatoric", "epistemic"):
        np.testing.assert_array_equal(far[name], near[name])


def test_kinds(priced: Any, sized: Any) -> None:
    assert isinstance(columns_of(priced[1]), RegressionColumns)
    columns = columns_of(sized[1])
    assert isinstance(columns, ClassColumns)
    found = columns.part(torch.randn(5, sized[1].encoder_.width))
    assert set(found["class"]) <= {"low", "middle", "top"}
    parts = found["aleatoric"] + found["epistemic"]
    assert found["total"] == pytest.approx(parts)
    assert "lower" not in columns_of(priced[1], interval=False).part(torch.zeros(1, priced[1].encoder_.width))


def test_a_recalibrated_student_is_written_recalibrated(priced: Any) -> None:
    model = copy.deepcopy(priced[1])
    x = torch.randn(5, model.encoder_.width)
    before = columns_of(model).part(x)
    model.student_.attach(VarianceScaling(2.0))
    after = columns_of(model).part(x)
    np.testing.assert_allclose(after["total"], 4 * before["total"], rtol=1e-5)
    np.testing.assert_allclose(after["upper"] - after["mean"], 2 * (before["upper"] - before["mean"]), rtol=1e-3)
