"""The command line."""

import json
import sys
from pathlib import Path

import pytest

import endd
from endd.cli import app, main
from endd.studies import toy, uci
from endd.studies.result import Result


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    for study in (toy, uci):
        monkeypatch.setattr(study, "PRESETS", {name: config.smoke() for name, config in study.PRESETS.items()})


def succeeds(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as done:
        app(arguments)
    assert done.value.code in (0, None)


def run_main(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int | str | None:
    """The exit code of the command."""
    monkeypatch.setattr(sys, "argv", ["endd", *arguments])
    with pytest.raises(SystemExit) as done:
        main()
    return done.value.code


def fails(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What is said where the exit code is not 0."""
    with pytest.raises(SystemExit) as done:
        app(arguments)
    assert done.value.code != 0
    return " ".join("".join(capsys.readouterr()).replace("│", " ").split())


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        app(["--version"])
    assert done.value.code == 0
    assert endd.__version__ in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--help"], "reproduce"),
        (["reproduce", "--help"], "toy"),
        (["reproduce", "toy", "--help"], "--first-seed"),
        (["reproduce", "uci", "--help"], "ENDD_DATA"),
    ],
)
def test_help(arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        app(arguments)
    assert done.value.code == 0
    assert named in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["destil"], "destil"),
        (["reproduce", "moons"], "moons"),
        (["reproduce", "toy", "--sedes", "3"], "--sedes"),
        (["reproduce", "toy", "--seeds", "0"], "Must be >= 1"),
        (["reproduce", "toy", "--seeds", "many"], "many"),
        (["reproduce", "toy", "--first-seed=-1"], "Must be >= 0"),
        (["reproduce", "toy", "--preset", "quick"], "converged"),
        (["reproduce", "uci", "--splits", "kfold10"], "published20"),
        (["demo", "--seeds", "3"], "--seeds"),
    ],
)
def test_what_is_wrong_is_named(arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert named in fails(arguments, capsys)


@pytest.mark.usefixtures("tiny")
def test_toy_leaves_its_files_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "toy"
    arguments = ["reproduce", "toy", "--preset", "paper", "--seeds", "1", "--first-seed", "3", "--progress", "none"]
    succeeds([*arguments, "--out", str(out)])
    found = json.loads((out / "metrics.json").read_text())
    assert (found["config"]["preset"], {record["seed"] for record in found["records"]}) == ("paper", {3})
    assert (out / "table.md").read_text() in capsys.readouterr().out
    assert (out / "figures" / "figure2.png").exists()
    assert [*tmp_path.iterdir()] == [out]


@pytest.mark.usefixtures("tiny")
def test_demo_has_one_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    succeeds(["demo", "--out", str(tmp_path / "demo"), "--progress", "none"])
    assert "one seed" in capsys.readouterr().out
    assert (tmp_path / "demo" / "report.html").exists()


def test_another_study_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Refused before anything is trained, in one line."""
    (tmp_path / "metrics.json").write_text('{"study": "uci"}')
    assert run_main(["reproduce", "toy", "--out", str(tmp_path)], monkeypatch) == 2
    assert capsys.readouterr().err.startswith("endd: Expected a new folder")
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.json"]


@pytest.mark.usefixtures("tiny")
def test_uci_leaves_its_files_behind_and_goes_on(
    tmp_path: Path, uci_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "uci"
    common = ["--data", str(uci_folder), "--out", str(out), "--progress", "none"]
    succeeds(["reproduce", "uci", "--datasets", "yacht", *common])
    first = Result.load(out)
    assert first.datasets() == first.config["datasets"] == ["yacht"]
    succeeds(["reproduce", "uci", "--datasets", "concrete", "yacht", "--resume", *common])
    both = Result.load(out)
    assert both.datasets() == both.config["datasets"] == ["yacht", "concrete"]
    assert both.records[: len(first.records)] == first.records
    assert (out / "table.md").read_text() in capsys.readouterr().out
    names = ["gaps.png", "epistemic.png", "sparsification.png", "coverage.png"]
    assert {path.name for path in (out / "figures").iterdir()} == {*names}
    assert [*tmp_path.iterdir()] == [out]
    other = ["reproduce", "uci", "--splits", "published20", "--datasets", "yacht", "--resume", *common]
    assert run_main(other, monkeypatch) == 2
    assert "splits was 'kfold5' and now is 'published20'" in capsys.readouterr().err


@pytest.mark.usefixtures("tiny")
def test_uci_folders_are_named_by_splits_and_preset(
    tmp_path: Path, uci_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENDD_DATA", str(uci_folder))
    succeeds(["reproduce", "uci", "--preset", "paper", "--datasets", "yacht", "--progress", "none"])
    assert Result.load("results/uci/kfold5-paper").config["preset"] == "paper"


def test_missing_data_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["reproduce", "uci", "--data", str(tmp_path), "--out", str(out)]
    assert run_main(arguments, monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("endd: Expected the data set 'concrete'")
    assert "Point --data or ENDD_DATA at a folder" in line
    assert not out.exists()
