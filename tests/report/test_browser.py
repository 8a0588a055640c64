"""The page of a report in a browser: nothing is fetched, nothing goes wrong, and it can be used."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import endd
from tests.studies.test_fidelity import data, pair

playwright = pytest.importorskip("playwright.sync_api", reason="the test extra brings Playwright")
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The system's Chromium, or the one that `playwright install chromium` brought."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    with playwright.sync_playwright() as started:
        place = found or started.chromium.executable_path
        if not Path(place).exists():
            pytest.skip("no Chromium on this machine: install Debian's chromium, or run `playwright install chromium`")
        opened = started.chromium.launch(executable_path=place, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    x, y = data("classes", 120)
    file: Path = tmp_path_factory.mktemp("page") / "report.html"
    endd.fidelity_report(*pair("classes"), x, y, file, require="kl_teacher>=0", resamples=5)
    return file


class Seen:
    """A page with all that it said and asked for."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())


@pytest.fixture
def seen(browser: Any, page_file: Path) -> Iterator[Seen]:
    opened = Seen(browser, page_file)
    yield opened
    opened.context.close()


def test_nothing_is_fetched_and_nothing_goes_wrong(seen: Seen, page_file: Path) -> None:
    seen.page.locator("details summary").click()
    assert seen.said == []
    assert seen.asked == [page_file.as_uri()]


def test_the_verdict_is_seen_first(seen: Seen) -> None:
    verdict = seen.page.locator(".verdict strong")
    assert verdict.is_visible()
    assert verdict.inner_text() == "Yes"
    assert verdict.bounding_box()["y"] < 400


def test_a_column_sorts_up_and_down(seen: Seen) -> None:
    region = seen.page.get_by_role("region", name="Inputs on which they differ most")
    head = region.locator("thead th").nth(0)

    def column() -> list[float]:
        return [float(text) for text in region.locator("tbody tr > :nth-child(1)").all_inner_texts()]

    head.click()
    assert column() == sorted(column())
    assert head.get_attribute("aria-sort") == "ascending"
    head.press("Enter")
    assert column() == sorted(column(), reverse=True)


def test_points_say_what_they_are(seen: Seen) -> None:
    tip = seen.page.locator(".tip")
    assert tip.is_hidden()
    seen.page.locator("circle.dot").first.dispatch_event("pointerover", {"bubbles": True})
    assert "ensemble" in tip.inner_text()
    seen.page.locator("h1").hover()
    assert tip.is_hidden()


def test_every_figure_has_a_text(seen: Seen) -> None:
    figures = seen.page.locator("figure")
    assert figures.count() == 2
    for number in range(figures.count()):
        assert len(figures.nth(number).get_by_role("img").get_attribute("aria-label")) > 40


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_no_sideways_scroll_and_readable_colours(browser: Any, page_file: Path, width: int, scheme: str) -> None:
    opened = Seen(browser, page_file, viewport={"width": width, "height": 740}, color_scheme=scheme)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    paper, ink = opened.page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    bright = [sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(","))) for colour in (paper, ink)]
    assert (bright[0] > bright[1]) == (scheme == "light")
    opened.context.close()
