"""`endd report`."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import endd
from endd.nn import MLP
from tests.cli.running import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    family = endd.families.Gaussian()
    endd.save(endd.Ensemble([MLP(3, [4], 2) for _ in range(4)], family), tmp_path / "teacher")
    endd.save(endd.Student(MLP(3, [4], 5), family), tmp_path / "student")
    random = np.random.default_rng(0)
    np.savez(tmp_path / "data.npz", x=random.normal(size=(50, 3)).astype(np.float32), y=random.normal(size=50))
    return tmp_path


def arguments(folder: Path, *more: str) -> list[str]:
    given = ["--teacher", folder / "teacher", "--student", folder / "student", "--data", folder / "data.npz"]
    return ["report", *map(str, given), "-o", str(folder / "page.html"), *more]


@pytest.mark.parametrize(("require", "code"), [("kl_teacher>=0", 0), ("kl_teacher<=-1", 1)])
def test_the_exit_code_is_the_verdict(
    run: Run, folder: Path, require: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments(folder, "--require", require)) == code
    assert "Student and ensemble" in capsys.readouterr().out
    assert "May the student replace its ensemble?" in (folder / "page.html").read_text()


@pytest.mark.parametrize("require", ["kl_teacher", "beauty>=1"])
def test_a_policy_that_cannot_be_read_is_one_line(
    run: Run, folder: Path, require: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments(folder, "--require", require)) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert not (folder / "page.html").exists()


def test_a_table_and_the_folder_of_a_fit(
    run: Run, priced: Any, houses: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endd.save(priced[1], tmp_path / "model")
    given = ["--teacher", tmp_path / "model", "--student", tmp_path / "model", "--data", houses, "--target", "price"]
    command = ["report", *map(str, given), "-o", str(tmp_path / "page.html"), "--require", "kl_teacher>=0"]
    assert run(*command) == 0
    said = capsys.readouterr().out
    assert "calibration_error" in said
    assert "garden" in said
    assert run(*command, "--target", "none") == 2
