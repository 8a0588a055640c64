"""`endd reproduce uci`."""

from pathlib import Path

import pytest

from endd.studies.result import Result
from tests.cli.running import Run


@pytest.mark.usefixtures("tiny")
def test_uci_leaves_its_files_behind_and_goes_on(
    run: Run, tmp_path: Path, uci_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "uci"
    common = ["--data", str(uci_folder), "--out", str(out), "--progress", "none"]
    assert run("reproduce", "uci", "--datasets", "yacht", *common) == 0
    first = Result.load(out)
    assert first.datasets() == first.config["datasets"] == ["yacht"]
    assert run("reproduce", "uci", "--datasets", "concrete", "yacht", "--resume", *common) == 0
    both = Result.load(out)
    assert both.datasets() == both.config["datasets"] == ["yacht", "concrete"]
    assert both.records[: len(first.records)] == first.records
    assert (out / "table.md").read_text() in capsys.readouterr().out
    names = ["gaps.png", "epistemic.png", "sparsification.png", "coverage.png"]
    assert {path.name for path in (out / "figures").iterdir()} == {*names}
    assert [*tmp_path.iterdir()] == [out]
    other = ["reproduce", "uci", "--splits", "published20", "--datasets", "yacht", "--resume", *common]
    assert run(*other) == 2
    assert "splits was 'kfold5' and now is 'published20'" in capsys.readouterr().err


@pytest.mark.usefixtures("tiny")
def test_uci_folders_are_named_by_splits_and_preset(
    run: Run, tmp_path: Path, uci_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENDD_DATA", str(uci_folder))
    assert run("reproduce", "uci", "--preset", "paper", "--datasets", "yacht", "--progress", "none") == 0
    assert Result.load("results/uci/kfold5-paper").config["preset"] == "paper"
