"""`endd reproduce estimators`."""

from pathlib import Path

import pytest

from endd.studies import estimators
from endd.studies.result import Result
from tests.cli.running import Run


def test_it_leaves_its_files_behind_and_keeps_the_data_sets_that_are_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny = estimators.Config(members=2, epochs=2, student_epochs=2)
    monkeypatch.setattr(estimators, "Config", lambda: tiny)
    out = tmp_path / "estimators"
    command = ["reproduce", "estimators", "--datasets", "wine", "--splits", "2", "--progress", "lines", "--out", out]
    assert run(*command) == 0
    first = Result.load(out)
    assert (first.datasets(), first.config["splits"]) == (["wine"], 2)
    assert (out / "table.md").read_text() in capsys.readouterr().out
    assert run(*command, "--resume") == 0
    assert "wine is there already" in capsys.readouterr().err
    assert Result.load(out).records == first.records
