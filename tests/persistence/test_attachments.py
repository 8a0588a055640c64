"""What is attached to a student comes back with it."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch

import endd
from endd.calibration import ConformalInterval, ConformalSet, Rejector, TemperatureScaling, VarianceScaling
from endd.families import Categorical, Gaussian
from endd.models import Attachment
from endd.nn import MLP
from endd.persistence import ModelFolderError
from endd.persistence.folder import read_folder, write_folder
from endd.persistence.models import student_from_plain, student_to_plain

X = torch.randn(30, 3, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def student() -> endd.Student:
    return endd.Student(MLP(3, [4], 5), Gaussian().in_units(7.0, 2.0))


def test_a_round_trip(student: endd.Student, tmp_path: Path) -> None:
    student.attach(VarianceScaling(1.2345678901234567))
    prediction = student.predict(X)
    student.attach(Rejector.for_coverage(prediction, 0.7, by="epistemic"))
    student.attach(ConformalInterval.fit(prediction, prediction.mean + 1, 0.9, "quantile"))
    endd.save(student, tmp_path)
    again = endd.load(tmp_path)
    assert [*again.attached] == ["variance", "rejector", "interval"]
    assert torch.equal(again.predict(X).total, prediction.total)
    for name, part in student.attached.items():
        assert again.attached[name].settings() == part.settings()
        assert torch.equal(again.attached[name].value, part.value)
    assert torch.equal(again.attached["rejector"](prediction), student.attached["rejector"](prediction))
    described = json.loads((tmp_path / "model.json").read_text())
    assert described["attached"][1] == {
        "kind": "Rejector",
        "settings": {"by": "epistemic", "promise": {"coverage": 0.7, "rows": 30}},
    }


def test_classes(tmp_path: Path) -> None:
    family = Categorical(4)
    student = endd.Student(MLP(3, [4], endd.num_outputs(family)), family)
    student.attach(TemperatureScaling(1.5)).attach(ConformalSet(0.8, 0.9, "aps")).attach(Rejector(math.inf))
    endd.save(student, tmp_path)
    again = endd.load(tmp_path)
    assert torch.equal(again.predict(X).probs, student.predict(X).probs)
    assert torch.equal(again.attached["set"](again.predict(X)), student.attached["set"](student.predict(X)))
    assert float(again.attached["rejector"].threshold) == math.inf


def test_an_estimators_student_keeps_them_too(regressor: Any, tmp_path: Path) -> None:
    endd.save(regressor, tmp_path)
    model = endd.load(tmp_path)
    model.student_.attach(Rejector(0.5))
    endd.save(model, tmp_path)
    assert float(endd.load(tmp_path).student_.attached["rejector"].threshold) == 0.5


def test_folders_of_version_1_load(student: endd.Student) -> None:
    plain, state = student_to_plain(student)
    del plain["attached"]
    assert len(student_from_plain(plain, state).attached) == 0


FORGED = [
    [{"kind": "os.system", "settings": {}}],
    [{"kind": "Rejector", "settings": {"by": "both"}}],
    [{"kind": "Rejector", "settings": {"code": 1}}],
    [{"kind": "VarianceScaling", "settings": {}}],
    [{"kind": "Rejector"}],
    ["Rejector"],
    3,
]


@pytest.mark.parametrize("attached", FORGED)
def test_forged_ones_are_refused(student: endd.Student, tmp_path: Path, attached: Any) -> None:
    endd.save(student.attach(Rejector(0.5)), tmp_path)
    described, tensors = read_folder(tmp_path)
    write_folder(tmp_path, described | {"attached": attached}, tensors)
    with pytest.raises(ModelFolderError):
        endd.load(tmp_path)


def test_ones_own_cannot_be_saved(student: endd.Student, tmp_path: Path) -> None:
    class Mine(Attachment):
        name = "mine"

    with pytest.raises(TypeError, match=r"of endd\.calibration to save it"):
        endd.save(student.attach(Mine(1.0)), tmp_path)
