"""Charts as SVG."""

import re

import numpy as np
import pytest

from endd.report.charts import ABOVE, BELOW, HEIGHT, LEFT, RIGHT, WIDTH, Chart, Line, Panel, Points, _ticks

X = np.array([0.0, 0.5, 1.0])


def panel(log: bool = False, **options: object) -> Panel:
    line = Line(X, X, "student", "student", np.stack([X - 0.1, X + 0.1]), ("a", "b < c", "d"))
    ends = (0.1, 10.0) if log else (0.0, 1.0)
    return Panel("Title & more", "x", "y", (line,), ends, ends, log)


def test_corners_are_where_the_axes_end() -> None:
    linear = panel()
    assert linear.place([0, 1], "x").tolist() == [LEFT, WIDTH - RIGHT]
    assert linear.place([0, 1], "y").tolist() == [HEIGHT - BELOW, ABOVE]
    middle = panel(log=True).place(1.0, "x")
    assert float(middle) == pytest.approx((LEFT + WIDTH - RIGHT) / 2)
    assert float(panel(log=True).place(0.0, "x")) == LEFT


def test_text_is_escaped_and_points_have_tips() -> None:
    text = str(panel().svg())
    assert "Title &amp; more" in text
    assert 'data-tip="b &lt; c"' in text
    assert text.count("<circle") == 3
    assert re.search(r'class="band student" d="M[^"]+Z"', text)
    assert "nan" not in text


def test_a_chart_has_a_text_and_its_keys_once() -> None:
    dots = Points(X, X, ("a", "b", "c"), "student")
    more = Panel("Other", "x", "y", (dots, Line(X, X, "student", "student")), (0, 1), (0, 1))
    text = str(Chart("name", (panel(), more), "caption", 'says "it"').markup)
    assert 'role="img" aria-label="says &#34;it&#34;"' in text
    assert text.count('class="key student"') == 1
    assert text.count("<svg") == text.count('aria-hidden="true"') == 2
    assert text.count('class="dot student"') == 3


@pytest.mark.parametrize(
    ("low", "high", "log", "expected"),
    [
        (0.0, 1.0, False, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (3.0, 4.0, True, []),
        (1.5, 8.0, True, [2, 5]),
        (1e-6, 1e2, True, [1e-6, 1e-3, 1]),
    ],
)
def test_ticks_are_round_and_few(low: float, high: float, log: bool, expected: list[float]) -> None:
    assert _ticks(low, high, log) == pytest.approx(expected)
