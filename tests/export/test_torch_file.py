"""Programs of torch.export."""

from pathlib import Path

import pytest
import torch

import endd
from endd.export import export_torch
from endd.families import Categorical, Family, Gaussian
from tests.export.runtime import arrays, check_agreement, student_of


@pytest.mark.parametrize("family", [Gaussian().in_units(100.0, 3.0), Categorical(3)])
def test_a_program_answers_as_the_student(family: Family, tmp_path: Path) -> None:
    student = student_of(family)
    export_torch(student, tmp_path / "model.pt2")
    extra = {"family": ""}
    program = torch.export.load(tmp_path / "model.pt2", extra_files=extra).module()
    assert extra["family"] == repr(family)
    rows = torch.randn(1000, 3)
    expected = student.predict(rows)
    for size in (1, 7, 1000):
        found = arrays(program(rows[:size]))
        parts = {name: getattr(expected, name)[:size] for name in ("total", "aleatoric", "epistemic")}
        spread = arrays({name: getattr(expected, name) for name in parts})
        check_agreement({name: found[name] for name in parts}, arrays(parts), spread)


def test_an_estimator(regressor: endd.DistilledRegressor, tmp_path: Path) -> None:
    export_torch(regressor, tmp_path / "model.pt2")
    program = torch.export.load(tmp_path / "model.pt2").module()
    rows = {"numbers": torch.zeros(1, 2, dtype=torch.float64), "codes": torch.zeros(1, 1, dtype=torch.int64)}
    assert program(rows)["mean"].dtype == torch.float64
