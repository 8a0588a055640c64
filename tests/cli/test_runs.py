"""`endd runs`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cli.running import one_line
from tests.training.cache.caching import label


def test_runs_are_listed(run: Callable[..., int], tmp_path: Path, capsys: Any) -> None:
    label(tmp_path / "cache")
    assert run("runs", tmp_path) == 0
    assert "finished, 7 of 7 shards" in capsys.readouterr().out
    (tmp_path / "empty").mkdir()
    assert run("runs", tmp_path / "empty") == 0
    assert "Nothing was run" in capsys.readouterr().out
    assert run("runs", tmp_path / "none") == 2
    assert "none" in one_line(capsys)
