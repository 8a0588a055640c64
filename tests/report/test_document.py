"""What a report consists of."""

from io import BytesIO

import numpy as np
from PIL import Image

from endd.report.document import Drawing, Report, Verdict
from endd.report.figures import new_figure
from endd.report.tables import Table


def test_a_drawing_is_a_png_drawn_once() -> None:
    drawing = Drawing("name", new_figure(1, 1, (2, 2))[0], "caption", "alt")
    assert drawing.png.startswith(b"\x89PNG")
    assert drawing.png is drawing.png


def test_a_palette_keeps_the_picture() -> None:
    figure, grid = new_figure(1, 1, (4, 3))
    x = np.linspace(0, 1, 50)
    for number in range(6):
        grid[0, 0].fill_between(x, x**number, alpha=0.3, color=f"C{number}")
        grid[0, 0].plot(x, x**number, color=f"C{number}")
    drawing = Drawing("name", figure, "caption", "alt")
    full = BytesIO()
    figure.savefig(full, format="png", dpi=160)
    small, exact = Image.open(BytesIO(drawing.png)), np.asarray(Image.open(full).convert("RGB")).astype(int)
    assert small.mode == "P"
    assert len(drawing.png) < 0.6 * len(full.getvalue())
    shown = np.asarray(small.convert("RGB")).astype(int)
    assert (shown[0, 0] == 255).all()
    assert np.abs(shown - exact).max() <= 24
    assert np.abs(shown - exact).mean() < 0.5
    page = Image.open(BytesIO(drawing.webp))
    assert np.array_equal(np.asarray(page.convert("RGB")), np.asarray(small.convert("RGB")))
    assert len(drawing.webp) < len(drawing.png)


def test_markdown_holds_all_tables() -> None:
    tables = tuple(Table(title, ("model",), (("a",),)) for title in ("One", "Two"))
    text = Report("Title", "Summary.", (), tables).markdown()
    assert text.startswith("# Title\n\nSummary.\n")
    assert text.index("## One") < text.index("## Two")


def test_a_verdict_comes_first() -> None:
    verdict = Verdict("May it?", False, ("a is not met", "b is met"))
    text = Report("Title", "Summary.", (), (), verdict).markdown()
    assert text.startswith("# Title\n\n**May it? No.**\n\n- a is not met\n- b is met\n\nSummary.")
    assert Verdict("May it?", True, ()).answer == "Yes"
