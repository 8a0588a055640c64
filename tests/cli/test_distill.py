"""`endd distill`, in one process; tests/cluster has it in two."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import endd
from endd.nn import MLP
from tests.cli.running import Run, one_line

OPTIONS = ["--epochs", "3", "--batch-size", "16", "--progress", "none"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ensemble = endd.Ensemble([MLP(3, [4], 2) for _ in range(4)], endd.families.Gaussian())
    endd.save(ensemble, tmp_path / "teacher")
    x = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    endd.cache_teacher(ensemble, x, tmp_path / "cache", keep_inputs=True, shard_rows=8, progress="none")
    return tmp_path


def weights(folder: Path) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in endd.load(folder).parameters()])


def test_from_an_ensemble(run: Run, folder: Path, capsys: Any) -> None:
    assert run("distill", folder / "teacher", folder / "x.npy", "-o", folder / "a", *OPTIONS) == 0
    assert "Wrote the student" in capsys.readouterr().out
    assert endd.load(folder / "a").net.architecture["hidden"] == [4]
    assert len((folder / "a" / "run" / "metrics.csv").read_text().splitlines()) == 4
    assert json.loads((folder / "a" / "model.json").read_text())["training"]["epochs"] == 3


def test_from_a_cache_with_and_without_its_inputs(run: Run, folder: Path) -> None:
    for name, inputs in (("a", [folder / "x.npy"]), ("b", [])):
        command = ["distill", folder / "cache", *inputs, "-o", folder / name, "--hidden", "6", "5", *OPTIONS]
        assert run(*command) == 0
    assert torch.equal(weights(folder / "a"), weights(folder / "b"))
    assert run("distill", folder / "teacher", folder / "x.npy", "-o", folder / "c", "--hidden", "6", "5", *OPTIONS) == 0
    assert torch.equal(weights(folder / "a"), weights(folder / "c"))


def test_a_student_to_begin_with(run: Run, folder: Path) -> None:
    student = endd.Student(MLP(3, [7], 4), endd.families.Gaussian(), endd.DiagonalNormal)
    endd.save(student, folder / "first")
    more = ["--student", folder / "first", "--members", "2", "--hold-out", "inputs"]
    assert run("distill", folder / "cache", "-o", folder / "a", *more, *OPTIONS) == 0
    assert endd.load(folder / "a").form == endd.DiagonalNormal


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["teacher"], "no cache"),
        (["cache"], "--hidden"),
        (["cache", "--student", "teacher"], "holds Ensemble"),
        (["none", "x.npy"], "model folder"),
    ],
    ids=str,
)
def test_what_is_missing_is_one_line(
    run: Run,
    folder: Path,
    arguments: list[str],
    message: str,
    capsys: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    assert run("distill", *arguments, "-o", "a", *OPTIONS) == 2
    assert message in one_line(capsys)


@pytest.mark.parametrize("command", ["distill", "label"])
def test_a_file_in_the_way_is_told_before_anything_is_read(run: Run, tmp_path: Path, capsys: Any, command: str) -> None:
    (tmp_path / "file").write_text("mine")
    assert run(command, tmp_path / "nothing", tmp_path / "x.npy", "--out", tmp_path / "file" / "out") == 2
    assert f"{tmp_path / 'file'} is a file. Choose another --out." in one_line(capsys)
