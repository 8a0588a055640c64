"""The page needs nothing but itself."""

import re
from html.parser import HTMLParser

from endd.report.document import Drawing, Report
from endd.report.figures import new_figure
from endd.report.page import render_page
from endd.report.tables import Table
from endd.studies.result import Result

VOID = {"meta", "img", "br", "link"}


class Balance(HTMLParser):
    """Raises where tags do not close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.images: list[dict[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.images.append(dict(attrs))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page() -> str:
    drawing = Drawing("name", new_figure(1, 1, (2, 2))[0], "a < b", 'says "more"')
    table = Table("Numbers & more", ("model", "nll"), (("<script>", "0.1"),), "A note.")
    result = Result("toy", {"seeds": 1}, {"torch": "2"}, [])
    return render_page(Report("Title", "Summary.", (drawing,), (table,)), result)


def test_tags_close_and_images_are_inside() -> None:
    parser = Balance()
    parser.feed(page())
    assert parser.open == []
    (image,) = parser.images
    assert image["alt"] == 'says "more"'
    assert str(image["src"]).startswith("data:image/webp;base64,")


def test_nothing_is_fetched() -> None:
    assert not re.search(r"https?://|<link|<script [^>]|@import|url\(", page())


def test_text_is_escaped() -> None:
    text = page()
    assert "&lt;script&gt;" in text
    assert "a &lt; b" in text
    assert "Numbers &amp; more" in text


def test_a_sentence_in_a_table_may_break() -> None:
    table = Table("Claims", ("claim", "here"), (("short", "A sentence that does not fit on one line of it. " * 2),))
    text = render_page(Report("Title", "Summary.", (), (table,)), Result("toy", {}, {}, []))
    assert '<td class="text">A sentence' in text
    assert '<th scope="row">short</th>' in text


def test_light_dark_and_narrow() -> None:
    text = page()
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text
    assert "overflow-x: auto" in text
