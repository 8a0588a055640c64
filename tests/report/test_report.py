"""From a study's files to its report."""

import json
from pathlib import Path

import pytest

from endd.report import write_report
from endd.studies.result import Result


def test_all_files_are_written(toy_result: Result, tmp_path: Path) -> None:
    toy_result.save(tmp_path)
    table = write_report(tmp_path)
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    figures = [f"figures/{name}.png" for name in ("figure1", "figure2", "tradeoff")]
    assert found == ["config.json", "curves.npz", *figures, "metrics.json", "report.html", "table.md"]
    assert (tmp_path / "table.md").read_text() == table
    assert (tmp_path / "report.html").read_text().count("data:image/webp") == 3


def test_the_uci_study_has_a_report(uci_result: Result, tmp_path: Path) -> None:
    uci_result.save(tmp_path)
    assert write_report(tmp_path).startswith("# UCI regression")
    assert (tmp_path / "report.html").read_text().count("data:image/webp") == 4


def test_an_unknown_study_is_named(toy_result: Result, tmp_path: Path) -> None:
    toy_result.save(tmp_path)
    metrics = tmp_path / "metrics.json"
    metrics.write_text(json.dumps(json.loads(metrics.read_text()) | {"study": "moons"}))
    with pytest.raises(ValueError, match="'moons'"):
        write_report(tmp_path)
