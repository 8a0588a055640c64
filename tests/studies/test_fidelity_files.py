"""A teacher, its student and inputs from disk."""

from pathlib import Path

import numpy as np
import pytest
import torch

import endd
from endd.nn import MLP
from endd.studies.fidelity_files import read_inputs, read_pair

NUMBER, COUNT = endd.families.Gaussian(), endd.families.Poisson()


def test_models_are_what_they_should_be(tmp_path: Path) -> None:
    endd.save(endd.Ensemble([MLP(3, [4], 2)], NUMBER), tmp_path / "teacher")
    endd.save(endd.Student(MLP(3, [4], 5), NUMBER), tmp_path / "student")
    endd.save(endd.Student(MLP(3, [4], 2), COUNT), tmp_path / "other")
    ensemble, student = read_pair(tmp_path / "teacher", tmp_path / "student")
    assert isinstance(ensemble, endd.Ensemble)
    assert isinstance(student, endd.Student)
    with pytest.raises(ValueError, match="Expected Student in "):
        read_pair(tmp_path / "teacher", tmp_path / "teacher")
    with pytest.raises(ValueError, match="models of one family"):
        read_pair(tmp_path / "teacher", tmp_path / "other")


def test_inputs_with_and_without_labels(tmp_path: Path) -> None:
    x, y = np.ones((4, 3), np.float32), np.zeros(4)
    np.savez(tmp_path / "both.npz", x=x, y=y)
    np.savez(tmp_path / "inputs.npz", x=x)
    np.savez(tmp_path / "named.npz", ids=x, mask=x)
    found, targets = read_inputs(tmp_path / "both.npz")
    assert torch.equal(found, torch.ones(4, 3))
    assert targets is not None
    assert read_inputs(tmp_path / "inputs.npz")[1] is None
    assert set(read_inputs(tmp_path / "named.npz")[0]) == {"ids", "mask"}


@pytest.mark.parametrize("content", [b"", b"not a zip", None])
def test_what_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "data.npz"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ValueError, match="cannot be read"):
        read_inputs(file)


def test_targets_alone_are_not_enough(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", y=np.zeros(4))
    with pytest.raises(ValueError, match="Expected inputs beside y"):
        read_inputs(tmp_path / "data.npz")
