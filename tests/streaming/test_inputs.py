"""Inputs and teachers out of files; the commands show the rest."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import endd
from endd.streaming import read_all, read_rows, teacher_of


def test_arrays_are_read_as_they_are(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(6.0).reshape(3, 2))
    assert torch.equal(read_all(read_rows(tmp_path / "x.npy"))[1:], torch.tensor([[2.0, 3.0], [4.0, 5.0]]))


def test_tables_are_encoded(priced: Any, houses: Path) -> None:
    x = read_all(read_rows(houses, priced[1]))
    assert len(x) == 120
    assert teacher_of(priced[1], Path("model"))(x[:5]).atoms.shape == (2, 5, 2)


def test_a_table_without_rows_is_named(priced: Any, houses: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text(houses.read_text().partition("\n")[0] + "\n")
    with pytest.raises(ValueError, match="Expected at least one input"):
        read_all(read_rows(tmp_path / "empty.csv", priced[1]))


def test_a_teacher_that_was_not_kept_is_named(priced: Any) -> None:
    ensemble = endd.Ensemble([torch.nn.Linear(1, 2)], endd.families.Gaussian())
    assert teacher_of(ensemble, Path("model")) is ensemble
    bare = endd.DistilledRegressor()
    bare.teacher_ = None
    with pytest.raises(ValueError, match="was not kept there"):
        teacher_of(bare, Path("model"))
