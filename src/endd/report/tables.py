"""Tables of a study: plain cells, as Markdown that also reads well as text."""

import math
from dataclasses import dataclass

from endd.studies.statistics import Estimate

MISSING = "-"


@dataclass(frozen=True)
class Table:
    """A title, a header, rows of text of the same length, and what one must know to read them."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(f"Expected {len(self.header)} cells a row in {self.title!r}, but got {len(row)}.")

    def markdown(self) -> str:
        """The table with a heading and its note; columns are padded to line up."""
        widths = [max(len(row[place]) for row in (self.header, *self.rows)) for place in range(len(self.header))]
        rule = tuple("-" * width for width in widths)

        def line(cells: tuple[str, ...]) -> str:
            first, *rest = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
            return "| " + " | ".join([first, *rest]) + " |"

        lines = [f"## {self.title}", "", line(self.header), line(rule), *map(line, self.rows)]
        return "\n".join([*lines, "", self.note, ""] if self.note else [*lines, ""])


def cell(value: Estimate | None, digits: int = 3, *, signed: bool = False) -> str:
    """'0.331 ± 0.012'; without an interval where there is one value, and '-' where there is none.

    One value that so many digits would show as 0, such as an error in small units, is written by its power of ten.

    >>> cell(Estimate(0.3312, 0.0123, 20)), cell(Estimate(0.3312, math.nan, 1), signed=True), cell(None)
    ('0.331 ± 0.012', '+0.331', '-')
    >>> cell(Estimate(3.312e-7, math.nan, 1)), cell(Estimate(0.0, math.nan, 1))
    ('3.31e-07', '0.000')
    """
    if value is None:
        return MISSING
    sign = "+" if signed else ""
    mean = f"{value.mean:{sign}z.{digits}f}"
    if not math.isnan(value.half_width):
        return f"{mean} ± {value.half_width:.{digits}f}"
    return f"{value.mean:{sign}.2e}" if value.mean and not float(mean) else mean


def number(value: float, digits: int = 3) -> str:
    """'0.331', or '-' of what is not a number.

    >>> number(0.3312), number(math.nan)
    ('0.331', '-')
    """
    return MISSING if math.isnan(value) else f"{value:z.{digits}f}"
