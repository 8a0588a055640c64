"""What a report consists of."""

from endd.report.document import Drawing, Report
from endd.report.figures import new_figure
from endd.report.tables import Table


def test_a_drawing_is_a_png_drawn_once() -> None:
    drawing = Drawing("name", new_figure(1, 1, (2, 2))[0], "caption", "alt")
    assert drawing.png.startswith(b"\x89PNG")
    assert drawing.png is drawing.png


def test_markdown_holds_all_tables() -> None:
    tables = tuple(Table(title, ("model",), (("a",),)) for title in ("One", "Two"))
    text = Report("Title", "Summary.", (), tables).markdown()
    assert text.startswith("# Title\n\nSummary.\n")
    assert text.index("## One") < text.index("## Two")
