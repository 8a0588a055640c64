"""`endd reproduce cifar10`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from endd.studies import cifar10
from endd.studies.result import Result
from tests.cli.running import Run, one_line

FILES = ("metrics.json", "config.json", "curves.npz")


def test_cifar10_leaves_its_files_behind_and_goes_on(
    run: Run, tmp_path: Path, cifar10_of: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "cifar10"
    command = [*cifar10_of, "--out", str(out)]
    assert run(*command) == 0
    first = Result.load(out)
    assert first.config["chosen"]["model"] in ("distilled_diagonal", "distilled_low_rank")
    assert first.config["command"] == " ".join(["endd", *command])
    assert "the tables" in capsys.readouterr().out
    assert {path.name for path in out.iterdir()} == {"members", "students", "outputs.npz", *FILES}
    assert run(*cifar10_of, "--seeds", "2", "--out", str(out)) == 0
    both = Result.load(out)
    assert ({r.seed for r in first.records}, {r.seed for r in both.records}) == ({0}, {0, 1})
    capsys.readouterr()
    command[3] = "standard"
    assert run(*command) == 2
    line = one_line(capsys)
    assert line.startswith(
        "endd: Expected the settings of the earlier run, but preset was 'smoke' and now is 'standard'."
    )
    assert [*tmp_path.iterdir()] == [out]


def test_cifar10_makes_the_models_that_are_named(
    run: Run, tmp_path: Path, cifar10_of: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "cifar10"
    assert run(*cifar10_of, "--models", "mixture", "distilled_low_rank", "--out", str(out)) == 0
    assert {*Result.load(out).models()} == {"single", "temperature", "ensemble", "mixture", "distilled_low_rank"}
    capsys.readouterr()
    assert run(*cifar10_of, "--models", "hydra", "--out", str(out)) == 2
    line = one_line(capsys)
    assert line.endswith("but got 'hydra'. Name its group too: --groups students rivals.")
    assert run(*cifar10_of, "--models", "distilled", "--out", str(out)) == 2
    assert capsys.readouterr().err.endswith("but got 'distilled'. Name one of these.\n")


def test_the_short_study_of_cifar10_trains_no_members(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["reproduce", "cifar10", "--preset", "short", "--out", str(tmp_path / "out")]
    assert run(*command) == 2
    line = one_line(capsys)
    assert line.startswith("endd: Expected --teacher with --preset short")
    assert [*tmp_path.iterdir()] == []


def test_cifar10_from_outputs(
    run: Run, tmp_path: Path, cifar10_study: tuple[Path, Result], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, result = cifar10_study
    command = ["reproduce", "cifar10", "--from-outputs", str(folder / "outputs.npz"), "--out"]
    assert run(*command, str(tmp_path / "again")) == 0
    again = Result.load(tmp_path / "again")
    for model, dataset in (("ensemble", "clean"), ("distilled", "brightness-5"), ("temperature", "gaussian_noise-1")):
        for metric in ("accuracy", "nll", "ece"):
            expected = result.values(model, metric, dataset)
            assert again.values(model, metric, dataset) == pytest.approx(expected, rel=1e-6)
    assert {path.name for path in (tmp_path / "again").iterdir()} == {*FILES, "table.md", "report.html", "figures"}
    assert (tmp_path / "again" / "table.md").read_text() in capsys.readouterr().out


def test_cifar10_from_some_outputs_spares_a_whole_study(
    run: Run, tmp_path: Path, cifar10_of: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers of a few rows do not take the place of those of all."""
    out = tmp_path / "cifar10"
    assert run(*cifar10_of, "--out", str(out)) == 0
    before, _ = (out / "metrics.json").read_text(), capsys.readouterr()
    command = ["reproduce", "cifar10", "--from-outputs", str(out / "outputs.npz"), "--out", str(out)]
    assert run(*command) == 2
    assert "test_rows was 32 and now is 8. Choose another --out" in capsys.readouterr().err
    assert (out / "metrics.json").read_text() == before


@pytest.mark.parametrize("content", [None, b"", b"nothing", b"PK\x03\x04 and no more"])
def test_damaged_outputs_are_one_line(
    run: Run, tmp_path: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "outputs.npz", tmp_path / "out"
    if content is not None:
        file.write_bytes(content)
    assert run("reproduce", "cifar10", "--from-outputs", str(file), "--out", str(out)) == 2
    line = one_line(capsys)
    assert line.startswith(f"endd: Expected outputs of a CIFAR-10 study in {file}")
    assert not out.exists()


def test_an_unknown_device_is_one_line(
    run: Run, tmp_path: Path, cifar10_of: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*cifar10_of, "--device", "abacus", "--out", str(tmp_path / "out")) == 2
    line = one_line(capsys)
    assert line.startswith("endd: Expected a device to train on")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("option", [["--keep-outputs"], ["--from-outputs", "outputs.npz"]])
def test_outputs_of_a_method_of_ones_own_cannot_be_kept(
    run: Run, option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["reproduce", "cifar10", "--method", "mine.py:mine", "--out", str(tmp_path), *option]
    assert run(*command) == 2
    assert f"without {option[0]}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--preset", "full", "--from-outputs", "outputs.npz"], "but got neither"),
        ([], "a group whose students may start from a member, but got neither. Add --groups outside late"),
        (["--preset", "short", "--teacher", "there", "--groups", "late"], "in the preset short, as all of it do"),
    ],
)
def test_a_start_from_a_member_is_for_those_who_may(
    options: list[str], said: str, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("reproduce", "cifar10", "--warm", *options, "--out", str(tmp_path / "out")) == 2
    assert said in one_line(capsys)
    assert [*tmp_path.iterdir()] == []


def test_late_students_start_from_a_member_where_that_is_said(
    run: Run, tmp_path: Path, cifar10_of: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []

    def note(config: Any, *arguments: object) -> Iterator[Any]:
        found.append(config.late_warm)
        raise ValueError("Expected no more.")

    monkeypatch.setattr(cifar10, "run_stepwise", note)
    for options in ([], ["--warm"]):
        assert run(*cifar10_of, "--groups", "outside", *options, "--out", str(tmp_path / "out")) == 2
    assert found == [False, True]
