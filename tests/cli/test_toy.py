"""`endd reproduce toy` and `endd demo`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from endd.studies.result import Result
from tests.cli.running import Run, one_line
from tests.studies.small_pictures import timeless


@pytest.mark.usefixtures("tiny")
def test_toy_leaves_its_files_behind(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "toy"
    arguments = ["reproduce", "toy", "--preset", "paper", "--seeds", "1", "--first-seed", "3", "--progress", "none"]
    assert run(*arguments, "--out", str(out)) == 0
    found = json.loads((out / "metrics.json").read_text())
    assert (found["config"]["preset"], {record["seed"] for record in found["records"]}) == ("paper", {3})
    assert (out / "table.md").read_text() in capsys.readouterr().out
    assert (out / "figures" / "figure2.png").exists()
    assert [*tmp_path.iterdir()] == [out]


@pytest.mark.usefixtures("tiny")
def test_toy_in_parts_goes_on(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, whole = tmp_path / "parts", tmp_path / "whole"
    common = ["reproduce", "toy", "--seeds", "2", "--together", "1"]
    assert run(*common, "--out", str(whole), "--workers", "2", "--progress", "lines") == 0
    told = capsys.readouterr().err
    assert "toy: part 2/2" in told
    assert "epoch" not in told  # processes say nothing by themselves
    first = Result.load(whole)
    out.mkdir()
    replace(first, records=[r for r in first.records if r.seed == 0]).save(out)
    assert run(*common, "--out", str(out), "--resume", "--progress", "lines") == 0
    assert "toy, test of seed 0 is there already" in capsys.readouterr().err
    assert timeless(Result.load(out)) == timeless(first)


@pytest.mark.usefixtures("tiny")
def test_repeats_are_added_to_the_toy_study(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, whole = tmp_path / "out", tmp_path / "whole"
    common = ["reproduce", "toy", "--progress", "none"]
    assert run(*common, "--seeds", "2", "--out", str(out)) == 0
    first, _ = Result.load(out), capsys.readouterr()
    more = [*common, "--seeds", "3", "--out", str(out), "--resume"]
    assert run(*more) == 2
    line = one_line(capsys)
    assert "seeds was 2 and now is 3. Pass --together 2" in line
    assert Result.load(out).records == first.records
    assert run(*more, "--together", "2") == 0
    assert run(*common, "--seeds", "3", "--together", "2", "--out", str(whole)) == 0
    assert Result.load(out).config == Result.load(whole).config
    assert timeless(Result.load(out)) == timeless(Result.load(whole))


@pytest.mark.usefixtures("tiny")
def test_demo_has_one_seed(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("demo", "--out", str(tmp_path / "demo"), "--progress", "none") == 0
    assert "one seed" in capsys.readouterr().out
    assert (tmp_path / "demo" / "report.html").exists()
