"""`endd leaderboard`, and a method of one's own that stands on it."""

from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.studies.own_method import write_method


def test_a_method_of_ones_own_joins_the_toy_study(
    run: Run, tiny: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "toy")
    place = write_method(tmp_path)
    assert run("reproduce", "toy", "--method", place, "--out", out) != 0
    assert "Run it first" in capsys.readouterr().err
    assert run("reproduce", "toy", "--seeds", "2", "--out", out, "--progress", "none") == 0
    assert run("reproduce", "toy", "--method", place, "--out", out, "--progress", "none") == 0
    assert "match_moments minus the others" in (tmp_path / "toy" / "table.md").read_text()
    assert run("leaderboard", out) == 0
    assert "match_moments" in capsys.readouterr().out
    assert "match_moments" in (tmp_path / "toy" / "leaderboard.md").read_text()
    assert (tmp_path / "toy" / "figures" / "leaderboard.png").exists()
