"""Members of a saved ensemble, one at a time."""

from pathlib import Path

import pytest
import torch
from torch import nn

import endd
from endd.families import Gaussian
from endd.nn import MLP
from endd.persistence import ModelFolderError, load_one_by_one
from endd.training.cache.asking import teacher_fingerprint


def test_members_are_those_that_were_saved(tmp_path: Path) -> None:
    ensemble = endd.Ensemble([MLP(3, [w], 2) for w in (4, 5)], Gaussian(), weights=torch.tensor([0.25, 0.75]))
    endd.save(ensemble, tmp_path)
    found = load_one_by_one(tmp_path)
    assert teacher_fingerprint(found) == teacher_fingerprint(ensemble)
    x = torch.randn(6, 3)
    for single, member in zip(found.members(), ensemble.members, strict=True):
        assert torch.equal(single(x).atoms[0], member(x))


def test_changed_weights_are_named(tmp_path: Path) -> None:
    endd.save(endd.Ensemble([MLP(3, [4], 2)], Gaussian()), tmp_path)
    (file,) = tmp_path.glob("weights-*")
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(ModelFolderError, match="was changed"):
        load_one_by_one(tmp_path)


def test_something_else_is_refused(tmp_path: Path) -> None:
    endd.save(endd.Student(MLP(3, [4], 5), Gaussian()), tmp_path / "student")
    endd.save(endd.Ensemble([nn.Linear(3, 2)], Gaussian()), tmp_path / "own")
    for name in ("student", "own"):
        with pytest.raises(ValueError, match="holds something else"):
            load_one_by_one(tmp_path / name)
