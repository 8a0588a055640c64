"""`endd export`, and what it says about models and places that cannot be used."""

from pathlib import Path
from typing import Any

import torch
from torch import nn

import endd
from tests.cli.running import Run
from tests.export.runtime import run_onnx, student_of


def test_a_folder_becomes_a_graph(run: Run, tmp_path: Path, capsys: Any) -> None:
    student = student_of(endd.families.Categorical(3))
    endd.save(student, tmp_path / "model")
    assert run("export", tmp_path / "model", tmp_path / "model.onnx") == 0
    said = capsys.readouterr()
    assert said.out == f"Wrote {tmp_path / 'model.onnx'}.\n"
    assert said.err == ""
    x = torch.randn(4, 3)
    torch.testing.assert_close(torch.tensor(run_onnx(tmp_path / "model.onnx", x)["total"]), student.predict(x).total)
    assert run("export", tmp_path / "model", tmp_path / "model.pt2") == 0
    torch.testing.assert_close(torch.export.load(tmp_path / "model.pt2").module()(x)["total"], student.predict(x).total)


def test_the_interval_may_be_left_out(run: Run, tmp_path: Path) -> None:
    endd.save(student_of(endd.families.Gaussian()), tmp_path / "model")
    assert run("export", tmp_path / "model", tmp_path / "model.onnx", "--no-interval") == 0
    assert list(run_onnx(tmp_path / "model.onnx", torch.randn(4, 3))) == ["mean", "total", "aleatoric", "epistemic"]


def test_what_cannot_be_exported_is_one_line(run: Run, tmp_path: Path, capsys: Any) -> None:
    endd.save(student_of(endd.families.Gaussian()), tmp_path / "model")
    endd.save(endd.Student(nn.Linear(3, 5), endd.families.Gaussian()), tmp_path / "own")
    cases = [
        (tmp_path / "none", tmp_path / "a.onnx", "Expected a model folder, but"),
        (tmp_path / "own", tmp_path / "a.onnx", "Expected the network that was saved, a Linear, but got none"),
        (tmp_path / "model", tmp_path / "none" / "a.onnx", "Expected the folder of"),
        (tmp_path / "model", tmp_path / "model", "is a folder. Choose another name."),
    ]
    for model, out, message in cases:
        assert run("export", model, out) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("endd: ")
        assert message in line
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model", "own"]
