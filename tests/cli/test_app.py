"""What the commands share."""

import json
from pathlib import Path
from typing import Any

import endd
from endd.cli.app import tell, write_study


def test_a_study_with_its_model(priced: Any, sized: Any, tmp_path: Path) -> None:
    """A second one takes the place of the first, weights and all."""
    for result, model in (priced, sized):
        tables = write_study(result, tmp_path / "out", model)
        assert (tmp_path / "out" / "table.md").read_text() == tables
        assert type(endd.load(tmp_path / "out")) is type(model)
        assert len([*(tmp_path / "out").glob("weights-*")]) == 1
    assert json.loads((tmp_path / "out" / "config.json").read_text())["target"] == "size"
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_tell(capsys: Any) -> None:
    tell(Path("there"))
    assert "there/report.html" in capsys.readouterr().out
