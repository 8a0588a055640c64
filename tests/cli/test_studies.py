"""The command line."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import endd
from endd import report
from endd.cli import app, main
from endd.studies import cifar10, toy, uci
from endd.studies.result import Result
from tests.studies.own_method import write_method
from tests.studies.small_pictures import TINY, timeless

FILES = ("metrics.json", "config.json", "curves.npz")


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
        (["reproduce", "cifar10", "--help"], "--from-outputs"),
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
        (["reproduce", "cifar10", "--preset", "paper"], "standard"),
        (["reproduce", "cifar10", "--seeds", "0"], "Must be >= 1"),
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
def test_toy_in_parts_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, whole = tmp_path / "parts", tmp_path / "whole"
    common = ["reproduce", "toy", "--seeds", "2", "--together", "1"]
    succeeds([*common, "--out", str(whole), "--workers", "2", "--progress", "lines"])
    told = capsys.readouterr().err
    assert "toy: part 2/2" in told
    assert "epoch" not in told  # processes say nothing by themselves
    first = Result.load(whole)
    replace(first, records=[r for r in first.records if r.seed == 0]).save(_new(out))
    succeeds([*common, "--out", str(out), "--resume", "--progress", "lines"])
    assert "toy, test of seed 0 is there already" in capsys.readouterr().err
    assert timeless(Result.load(out)) == timeless(first)


@pytest.mark.usefixtures("tiny")
def test_repeats_are_added_to_the_toy_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, whole = tmp_path / "out", tmp_path / "whole"
    common = ["reproduce", "toy", "--progress", "none"]
    succeeds([*common, "--seeds", "2", "--out", str(out)])
    first, _ = Result.load(out), capsys.readouterr()
    more = [*common, "--seeds", "3", "--out", str(out), "--resume"]
    assert run_main(more, monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "seeds was 2 and now is 3. Pass --together 2" in line
    assert Result.load(out).records == first.records
    succeeds([*more, "--together", "2"])
    succeeds([*common, "--seeds", "3", "--together", "2", "--out", str(whole)])
    assert Result.load(out).config == Result.load(whole).config
    assert timeless(Result.load(out)) == timeless(Result.load(whole))


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder


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


@pytest.mark.parametrize(("study", "named"), [("uci", "the data set 'concrete'"), ("cifar10", "CIFAR-10 in ")])
def test_missing_data_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], study: str, named: str
) -> None:
    out = tmp_path / "out"
    arguments = ["reproduce", study, "--data", str(tmp_path), "--out", str(out)]
    assert run_main(arguments, monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"endd: Expected {named}")
    assert "Point --data or ENDD_DATA at a folder" in line
    assert not out.exists()


@pytest.fixture
def cifar10_of(tmp_path: Path, small_pictures: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command for the CIFAR-10 study at its smallest, with one line for a report: its figures take a while."""
    monkeypatch.setattr(report, "write_report", lambda folder: "the tables")
    monkeypatch.setattr(cifar10, "PRESETS", {"smoke": TINY, "standard": replace(TINY, preset="standard", members=3)})
    return ["reproduce", "cifar10", "--preset", "smoke", "--progress", "none", "--data", "anywhere"]


def test_cifar10_leaves_its_files_behind_and_goes_on(
    tmp_path: Path, cifar10_of: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "cifar10"
    command = [*cifar10_of, "--out", str(out)]
    assert run_main(command, monkeypatch) in (0, None)
    first = Result.load(out)
    assert first.config["chosen"]["model"] in ("distilled_diagonal", "distilled_low_rank")
    assert first.config["command"] == " ".join(["endd", *command])
    assert "the tables" in capsys.readouterr().out
    assert {path.name for path in out.iterdir()} == {"members", "students", "outputs.npz", *FILES}
    succeeds([*cifar10_of, "--seeds", "2", "--out", str(out)])
    both = Result.load(out)
    assert ({r.seed for r in first.records}, {r.seed for r in both.records}) == ({0}, {0, 1})
    capsys.readouterr()
    command[3] = "standard"
    assert run_main(command, monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "endd: Expected the settings of the earlier run, but preset was 'smoke' and now is 'standard'."
    )
    assert [*tmp_path.iterdir()] == [out]


def test_cifar10_makes_the_models_that_are_named(
    tmp_path: Path, cifar10_of: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "cifar10"
    succeeds([*cifar10_of, "--models", "mixture", "distilled_low_rank", "--out", str(out)])
    assert {*Result.load(out).models()} == {"single", "temperature", "ensemble", "mixture", "distilled_low_rank"}
    capsys.readouterr()
    assert run_main([*cifar10_of, "--models", "hydra", "--out", str(out)], monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("but got 'hydra'. Name its group too: --groups students rivals.")
    assert run_main([*cifar10_of, "--models", "distilled", "--out", str(out)], monkeypatch) == 2
    assert capsys.readouterr().err.endswith("but got 'distilled'. Name one of these.\n")


def test_the_short_study_of_cifar10_trains_no_members(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["reproduce", "cifar10", "--preset", "short", "--out", str(tmp_path / "out")]
    assert run_main(command, monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("endd: Expected --teacher with --preset short")
    assert [*tmp_path.iterdir()] == []


def test_cifar10_from_outputs(
    tmp_path: Path, cifar10_study: tuple[Path, Result], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, result = cifar10_study
    command = ["reproduce", "cifar10", "--from-outputs", str(folder / "outputs.npz"), "--out"]
    succeeds([*command, str(tmp_path / "again")])
    again = Result.load(tmp_path / "again")
    for model, dataset in (("ensemble", "clean"), ("distilled", "brightness-5"), ("temperature", "gaussian_noise-1")):
        for metric in ("accuracy", "nll", "ece"):
            expected = result.values(model, metric, dataset)
            assert again.values(model, metric, dataset) == pytest.approx(expected, rel=1e-6)
    assert {path.name for path in (tmp_path / "again").iterdir()} == {*FILES, "table.md", "report.html", "figures"}
    assert (tmp_path / "again" / "table.md").read_text() in capsys.readouterr().out


def test_cifar10_from_some_outputs_spares_a_whole_study(
    tmp_path: Path, cifar10_of: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers of a few rows do not take the place of those of all."""
    out = tmp_path / "cifar10"
    succeeds([*cifar10_of, "--out", str(out)])
    before, _ = (out / "metrics.json").read_text(), capsys.readouterr()
    command = ["reproduce", "cifar10", "--from-outputs", str(out / "outputs.npz"), "--out", str(out)]
    assert run_main(command, monkeypatch) == 2
    assert "test_rows was 32 and now is 8. Choose another --out" in capsys.readouterr().err
    assert (out / "metrics.json").read_text() == before


@pytest.mark.parametrize("content", [None, b"", b"nothing", b"PK\x03\x04 and no more"])
def test_damaged_outputs_are_one_line(
    tmp_path: Path, content: bytes | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "outputs.npz", tmp_path / "out"
    if content is not None:
        file.write_bytes(content)
    assert run_main(["reproduce", "cifar10", "--from-outputs", str(file), "--out", str(out)], monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"endd: Expected outputs of a CIFAR-10 study in {file}")
    assert not out.exists()


def test_an_unknown_device_is_one_line(
    tmp_path: Path, cifar10_of: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main([*cifar10_of, "--device", "abacus", "--out", str(tmp_path / "out")], monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("endd: Expected a device to train on")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("option", [["--keep-outputs"], ["--from-outputs", "outputs.npz"]])
def test_outputs_of_a_method_of_ones_own_cannot_be_kept(
    option: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["reproduce", "cifar10", "--method", "mine.py:mine", "--out", str(tmp_path), *option]
    assert run_main(command, monkeypatch) == 2
    assert f"without {option[0]}" in capsys.readouterr().err


def test_a_start_from_a_member_is_for_a_method_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(["reproduce", "cifar10", "--warm", "--out", str(tmp_path / "out")], monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "endd: Expected --warm with --method, but got it alone. Those of the study: --groups warm."
    assert [*tmp_path.iterdir()] == []


def test_a_method_of_ones_own_joins_the_toy_study(
    tiny: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "toy")
    place = write_method(tmp_path)
    assert run_main(["reproduce", "toy", "--method", place, "--out", out], monkeypatch) not in (0, None)
    assert "Run it first" in capsys.readouterr().err
    succeeds(["reproduce", "toy", "--seeds", "2", "--out", out, "--progress", "none"])
    succeeds(["reproduce", "toy", "--method", place, "--out", out, "--progress", "none"])
    assert "match_moments minus the others" in (tmp_path / "toy" / "table.md").read_text()
    succeeds(["leaderboard", out])
    assert "match_moments" in capsys.readouterr().out
    assert "match_moments" in (tmp_path / "toy" / "leaderboard.md").read_text()
    assert (tmp_path / "toy" / "figures" / "leaderboard.png").exists()


@pytest.mark.parametrize("file", ["metrics.json", "curves.npz"])
@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04"])
def test_damaged_results_are_one_line_and_stay(
    toy_result: Result,
    tmp_path: Path,
    file: str,
    content: bytes,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    toy_result.save(tmp_path)
    (tmp_path / file).write_bytes(content)
    place = write_method(tmp_path)
    study = ["reproduce", "toy", "--out", str(tmp_path)]
    for command in ([*study, "--resume"], [*study, "--method", place], ["leaderboard", str(tmp_path)]):
        assert run_main(command, monkeypatch) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"in {tmp_path / file}, but it is damaged" in line
        assert "run the study again" in line
        assert (tmp_path / file).read_bytes() == content


@pytest.mark.parametrize("study", ["toy", "uci", "cifar10"])
@pytest.mark.parametrize(
    ("more", "name", "named"),
    [
        ("def f(:\n", "match_moments", "raised SyntaxError"),
        ("1 / 0\n", "match_moments", "raised ZeroDivisionError"),
        ("def loss(v, teacher):\n    return v.mean\n", "loss", "A loss is to be the __call__"),
        ("narrow = Method(MatchMoments(), head=lambda features: None)\n", "narrow", "to take (features, outputs)"),
    ],
)
def test_mistakes_in_a_method_are_one_line(
    study: str,
    more: str,
    name: str,
    named: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = request.getfixturevalue(f"{study}_result" if study != "cifar10" else "cifar10_study")
    (found if study != "cifar10" else found[1]).save(_new(tmp_path / "out"))
    place = write_method(tmp_path, more).replace("match_moments", name)
    assert run_main(["reproduce", study, "--method", place, "--out", str(tmp_path / "out")], monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert named in line
    assert str(tmp_path / "mine.py") in line


def test_a_mistake_that_only_training_finds_is_one_line_too(
    toy_result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    toy_result.save(_new(tmp_path / "out"))
    later = "class Later(MatchMoments):\n    def at(self, epoch):\n        return [self][epoch]\nlater = Later()\n"
    place = write_method(tmp_path, later).replace("match_moments", "later")
    command = ["reproduce", "toy", "--method", place, "--out", str(tmp_path / "out"), "--progress", "none"]
    assert run_main(command, monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "raised IndexError: list index out of range" in line
