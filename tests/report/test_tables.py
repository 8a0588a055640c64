"""Tables as Markdown."""

import math

import pytest

from endd.report.tables import Table, cell, number
from endd.studies.statistics import Estimate


def test_markdown_lines_up() -> None:
    text = Table("Title", ("model", "nll"), (("ensemble", "0.1"), ("a", "-0.25 ± 0.10")), "A note.").markdown()
    lines = text.splitlines()
    assert lines[0] == "## Title"
    assert len({len(line) for line in lines if line.startswith("|")}) == 1
    assert lines[3] == "| -------- | ------------ |"
    assert lines[-1] == "A note."


def test_a_short_row_is_named() -> None:
    with pytest.raises(ValueError, match=r"Expected 2 cells a row in 'Title', but got 1"):
        Table("Title", ("model", "nll"), (("ensemble",),))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Estimate(0.12349, 0.05, 3), "+0.123 ± 0.050"),
        (Estimate(-1.0, math.nan, 1), "-1.000"),
        (Estimate(-0.0001, 0.001, 3), "+0.000 ± 0.001"),
        (Estimate(-0.0001, math.nan, 1), "-1.00e-04"),
        (None, "-"),
    ],
)
def test_cells(value: Estimate | None, text: str) -> None:
    assert cell(value, signed=True) == text


def test_what_is_not_a_number_is_missing() -> None:
    assert [number(value, 2) for value in (0.125, -0.001, math.nan)] == ["0.12", "0.00", "-"]
