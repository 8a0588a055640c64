"""The command of the frontier."""

from dataclasses import replace
from pathlib import Path

import pytest

from endd import report
from endd.studies import frontier
from endd.studies.result import Result
from tests.cli.running import Run, one_line
from tests.studies.test_frontier import SMALL


@pytest.fixture
def command(tmp_path: Path, small_pictures: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The study at its smallest."""
    tiny = replace(SMALL, seeds=1, widths=(1.0,))
    monkeypatch.setattr(frontier, "PRESETS", {"smoke": tiny, "standard": tiny, "warm": tiny})
    return ["reproduce", "frontier", "--preset", "smoke", "--progress", "none", "--device", "cpu"]


def test_help_names_its_settings(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("reproduce", "frontier", "--help") == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("--teacher", "--widths", "--groups", "--epochs"))


def test_it_leaves_its_files_behind_and_goes_on_with_another_width(
    run: Run, tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "frontier"
    command = [*command, "--out", str(out)]
    assert run(*command, "--groups", "ensembles") == 0
    first = Result.load(out)
    assert first.config["command"] == " ".join(["endd", *command, "--groups", "ensembles"])
    assert (out / "table.md").read_text() in capsys.readouterr().out
    assert (out / "figures" / "frontier.png").exists()
    assert run(*command, "--groups", "singles", "--widths", "1.5") == 0
    both = Result.load(out)
    assert {*both.models()} == {*first.models(), "single_1.5"}
    assert both.records[: len(first.records)] == first.records
    # of the commands in a row those that found something to make are told
    made = f"{first.config['command']} && " + " ".join(["endd", *command, "--groups", "singles", "--widths", "1.5"])
    assert both.config["command"] == made
    assert run(*command, "--groups", "ensembles", "singles", "--widths", "1.5") == 0
    assert Result.load(out).config["command"] == made
    capsys.readouterr()
    assert run(*command, "--epochs", "7") == 2
    line = one_line(capsys)
    assert "epochs was 2 and now is 7" in line


def test_levers_want_their_group(
    run: Run, tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "frontier"
    assert run(*command, "--out", str(out), "--levers", "lever_ema") == 2
    assert "Expected --groups levers beside --levers lever_ema" in one_line(capsys)
    assert not out.exists()


def test_a_teacher_may_be_named(
    run: Run, tmp_path: Path, command: list[str], cifar10_study: tuple[Path, Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "write_report", lambda folder: "the tables")
    out = tmp_path / "frontier"
    teacher = ["--teacher", str(cifar10_study[0]), "--groups", "ensembles"]
    assert run(*command, *teacher, "--out", str(out)) == 0
    assert not (out / "members").exists()
    assert "ensemble_3" in Result.load(out).models()


@pytest.mark.parametrize("preset", ["standard", "warm", "smoke"])
def test_a_teacher_that_is_not_there_is_one_line(
    run: Run,
    preset: str,
    tmp_path: Path,
    command: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """That of the CIFAR-10 study where none is named."""
    monkeypatch.chdir(tmp_path)
    command[3] = preset
    named = ["--teacher", "results/cifar10"] if preset == "smoke" else []
    assert run(*command, *named) == 2
    line = one_line(capsys)
    assert line.startswith("endd: Expected the settings of a CIFAR-10 study in results/cifar10, but found none.")
    assert "Point --teacher at the folder of `endd reproduce cifar10`" in line
    assert [*tmp_path.iterdir()] == []
