"""endd.save and endd.load, and what they make of folders that somebody damaged."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from sklearn.exceptions import NotFittedError
from torch import nn

import endd
from endd.families import Gaussian
from endd.nn import MLP
from endd.persistence import ModelFolderError
from endd.training import History

X = torch.randn(9, 3, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def student() -> endd.Student:
    return endd.Student(MLP(3, [4], 5), Gaussian().in_units(7.0, 2.0))


def test_a_round_trip(student: endd.Student, tmp_path: Path) -> None:
    endd.save(student, tmp_path, history=History([{"loss": 0.5}], [], [1]))
    again = endd.load(tmp_path)
    assert torch.equal(again.predict(X).total, student.predict(X).total)
    assert json.loads((tmp_path / "model.json").read_text())["training"]["last"] == {"loss": 0.5}


def test_kinds_are_told_apart(student: endd.Student, regressor: Any, tmp_path: Path) -> None:
    ensemble = endd.Ensemble([MLP(3, [4], 2) for _ in range(2)], Gaussian())
    for model in (student, ensemble, regressor):
        endd.save(model, tmp_path)
        assert type(endd.load(tmp_path)) is type(model)
    with pytest.raises(ValueError, match="Expected no `net` for a DistilledRegressor"):
        endd.load(tmp_path, nn.Linear(2, 2))
    with pytest.raises(TypeError, match="Expected a Student, an Ensemble, a sampler or an estimator of endd"):
        endd.save(nn.Linear(2, 2), tmp_path)  # type: ignore[arg-type]
    with pytest.raises(NotFittedError):
        endd.save(endd.DistilledRegressor(), tmp_path)


def test_a_network_of_ones_own(tmp_path: Path) -> None:
    student = endd.Student(nn.Linear(3, 5), Gaussian())
    endd.save(student, tmp_path)
    again = endd.load(tmp_path, net=nn.Linear(3, 5))
    assert torch.equal(again.predict(X).total, student.predict(X).total)
    with pytest.raises(ValueError, match="Expected the network that was saved, a Linear, but got none"):
        endd.load(tmp_path)
    with pytest.raises(ValueError, match=r"weight: .* against"):
        endd.load(tmp_path, net=nn.Linear(4, 5))
    with pytest.raises(TypeError, match=r"Expected `net` to be a torch\.nn\.Module"):
        endd.load(tmp_path, net="Linear")


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "Code"},
        {"family": {"name": "Gaussian", "min_variance": 1e-6}},
        {"family": {"name": "os.system"}},
        {"family": None},
        {"v": {"name": "FullNormal", "options": {"rank": 3}}},
        {"net": {"name": "MLP"}},
        {"net": {"name": "MLP", "architecture": {"inputs": "3"}}},
        {"output": {"a": 1}},
    ],
)
def test_a_forged_description_is_refused_or_harmless(
    student: endd.Student, tmp_path: Path, changes: dict[str, Any]
) -> None:
    from endd.persistence.folder import read_folder, write_folder

    endd.save(endd.Student(student.net, Gaussian()), tmp_path)
    described, tensors = read_folder(tmp_path)
    write_folder(tmp_path, described | changes, tensors)
    try:
        again = endd.load(tmp_path)
    except ModelFolderError:
        return
    assert again.family == Gaussian()
