"""The command line."""

import json
import sys
from pathlib import Path

import pytest

import endd
from endd.cli import app, main
from endd.studies import toy


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toy, "PRESETS", {name: config.smoke() for name, config in toy.PRESETS.items()})


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
    [(["--help"], "reproduce"), (["reproduce", "--help"], "toy"), (["reproduce", "toy", "--help"], "--first-seed")],
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
        (["demo", "--seeds", "3"], "--seeds"),
    ],
)
def test_what_is_wrong_is_named(arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert named in fails(arguments, capsys)


@pytest.mark.usefixtures("tiny")
def test_toy_leaves_its_files_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "toy"
    arguments = ["reproduce", "toy", "--preset", "paper", "--seeds", "1", "--first-seed", "3", "--progress", "none"]
    with pytest.raises(SystemExit) as done:
        app([*arguments, "--out", str(out)])
    assert done.value.code in (0, None)
    found = json.loads((out / "metrics.json").read_text())
    assert (found["config"]["preset"], {record["seed"] for record in found["records"]}) == ("paper", {3})
    assert (out / "table.md").read_text() in capsys.readouterr().out
    assert (out / "figures" / "figure2.png").exists()
    assert [*tmp_path.iterdir()] == [out]


@pytest.mark.usefixtures("tiny")
def test_demo_has_one_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        app(["demo", "--out", str(tmp_path / "demo"), "--progress", "none"])
    assert done.value.code in (0, None)
    assert "one seed" in capsys.readouterr().out
    assert (tmp_path / "demo" / "report.html").exists()


def test_another_study_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused before anything is trained, in one line."""
    (tmp_path / "metrics.json").write_text('{"study": "uci"}')
    monkeypatch.setattr(sys, "argv", ["endd", "reproduce", "toy", "--out", str(tmp_path)])
    with pytest.raises(SystemExit, match="endd: Expected a new folder"):
        main()
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.json"]
