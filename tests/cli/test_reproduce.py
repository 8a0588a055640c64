"""What all studies have in common on the command line: help, mistakes, and folders that are there already."""

from dataclasses import replace
from pathlib import Path

import pytest

import endd
from endd.studies.result import Result
from tests.cli.running import Run, one_line
from tests.studies.own_method import write_method


def test_version(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
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
def test_help(run: Run, arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 0
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
        (["reproduce", "toy", "--teacher", "members"], "Expected --teacher with --method"),
        (["reproduce", "uci", "--teacher", "members"], "Expected --teacher with --method"),
    ],
)
def test_what_is_wrong_is_named(run: Run, arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) != 0
    said = " ".join("".join(capsys.readouterr()).replace("│", " ").split())
    assert named in said


def test_another_study_stays(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Refused before anything is trained, in one line."""
    (tmp_path / "metrics.json").write_text('{"study": "uci"}')
    assert run("reproduce", "toy", "--out", str(tmp_path)) == 2
    assert capsys.readouterr().err.startswith("endd: Expected a new folder")
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.json"]


@pytest.mark.parametrize(("study", "named"), [("uci", "the data set 'concrete'"), ("cifar10", "CIFAR-10 in ")])
def test_missing_data_is_one_line(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], study: str, named: str
) -> None:
    out = tmp_path / "out"
    arguments = ["reproduce", study, "--data", str(tmp_path), "--out", str(out)]
    assert run(*arguments) == 2
    line = one_line(capsys)
    assert line.startswith(f"endd: Expected {named}")
    assert "Point --data or ENDD_DATA at a folder" in line
    assert not out.exists()


@pytest.mark.parametrize("file", ["metrics.json", "curves.npz"])
@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04"])
def test_damaged_results_are_one_line_and_stay(
    run: Run, toy_result: Result, tmp_path: Path, file: str, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    toy_result.save(tmp_path)
    (tmp_path / file).write_bytes(content)
    place = write_method(tmp_path)
    study = ["reproduce", "toy", "--out", str(tmp_path)]
    for command in ([*study, "--resume"], [*study, "--method", place], ["leaderboard", str(tmp_path)]):
        assert run(*command) == 2
        line = one_line(capsys)
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
    run: Run,
    study: str,
    more: str,
    name: str,
    named: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = request.getfixturevalue(f"{study}_result" if study != "cifar10" else "cifar10_study")
    (tmp_path / "out").mkdir()
    (found if study != "cifar10" else found[1]).save(tmp_path / "out")
    place = write_method(tmp_path, more).replace("match_moments", name)
    assert run("reproduce", study, "--method", place, "--out", str(tmp_path / "out")) == 2
    line = one_line(capsys)
    assert named in line
    assert str(tmp_path / "mine.py") in line


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (["toy", "--seeds", "3", "--preset", "paper"], "--preset and --seeds"),
        (["toy", "--workers", "2"], "--workers"),
        (["uci", "--datasets", "yacht", "--out", "uci"], "--datasets"),
        (["uci", "--splits", "published20", "--out", "uci"], "--splits"),
        (["cifar10", "--preset", "smoke", "--groups", "warm", "--models", "distilled_warm"], "--preset"),
    ],
)
def test_settings_beside_a_method_are_refused(
    run: Run, tmp_path: Path, given: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("reproduce", *given, "--method", write_method(tmp_path)) == 2
    assert f"Expected --method without {named}" in one_line(capsys)


def test_a_method_that_keeps_diverging_is_named(
    run: Run, toy_result: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").mkdir()
    longer = toy_result.config | {"student": toy_result.config["student"] | {"epochs": 5}}
    replace(toy_result, config=longer).save(tmp_path / "out")
    later = """
class Later(MatchMoments):
    seen = 0
    def __call__(self, v, teacher, y=None):
        Later.seen += 1
        return super().__call__(v, teacher) * (1 if Later.seen < 2 else float("nan"))
later = Later()
"""
    place = write_method(tmp_path, later).replace("match_moments", "later")
    assert run("reproduce", "toy", "--method", place, "--out", str(tmp_path / "out"), "--progress", "none") == 2
    line = one_line(capsys)
    assert "went NaN at step" in line
    assert line.endswith(f"Correct the objective of {place}.")


def test_a_mistake_that_only_training_finds_is_one_line_too(
    run: Run, toy_result: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").mkdir()
    toy_result.save(tmp_path / "out")
    later = "class Later(MatchMoments):\n    def at(self, epoch):\n        return [self][epoch]\nlater = Later()\n"
    place = write_method(tmp_path, later).replace("match_moments", "later")
    command = ["reproduce", "toy", "--method", place, "--out", str(tmp_path / "out"), "--progress", "none"]
    assert run(*command) == 2
    line = one_line(capsys)
    assert "raised IndexError: list index out of range" in line
