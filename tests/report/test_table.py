"""The report of a fitted table."""

from typing import Any

import pytest

from endd.report.table import table_report


@pytest.mark.parametrize("kind", ["priced", "sized"])
def test_a_report_has_all_its_parts(kind: str, request: pytest.FixtureRequest) -> None:
    result, _ = request.getfixturevalue(kind)
    report = table_report(result)
    assert [drawing.name for drawing in report.drawings] == [
        *("predictions", "reliability", "sparsification", "distance"),
    ]
    titles = ["Prediction", "Against the ensemble", "Rows with the largest epistemic uncertainty"]
    assert [table.title for table in report.tables] == titles
    assert [row[0] for row in report.tables[0].rows] == ["ensemble", "distilled", "single"]
    assert len(report.tables[2].rows) == 10
    assert f"of {result.config['target']} in houses.csv" in report.summary
    for drawing in report.drawings:
        assert drawing.png.startswith(b"\x89PNG")


def test_bars_do_not_break_a_table(priced: Any) -> None:
    result, _ = priced
    cells = result.curves["top_cells"]
    before, cells[0, 5] = cells[0, 5], "a|b"
    try:
        assert "a¦b" in table_report(result).markdown()
    finally:
        cells[0, 5] = before
