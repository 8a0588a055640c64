"""The page of a student beside its ensemble."""

from endd.report.fidelity import fidelity_page
from endd.report.page import render_page
from endd.studies.fidelity import fidelity
from tests.studies.test_fidelity import data, pair

TITLES = ("Verdict", "Prediction", "Agreement with the ensemble", "Cost", "Inputs on which they differ most")


def test_verdict_tables_and_charts() -> None:
    x, y = data("classes")
    result = fidelity(*pair("classes"), x, y, require="nll<=-1, kl_teacher>=0", resamples=3, classes=list("abcd"))
    report = fidelity_page(result)
    text, page = report.markdown(), render_page(report, result)
    assert "**May the student replace its ensemble? No.**" in text
    assert "nll <= -1 is not met: " in text
    assert "kl_teacher >= 0 is met: " in text
    for title in TITLES:
        assert f"## {title}" in text
        assert f"<h2>{title}</h2>" in page
    assert '<section class="verdict no"' in page
    worst = report.tables[-1]
    assert worst.header[:4] == ("input", "kl", "ensemble says", "student says")
    assert worst.header[-3:] == ("x0", "x1", "x2")
    assert {row[2] for row in worst.rows} <= set("abcd")


def test_without_labels() -> None:
    x, _ = data("numbers")
    result = fidelity(*pair("numbers"), x, require="kl_teacher>=0", resamples=3)
    report = fidelity_page(result)
    assert report.verdict is not None
    assert report.verdict.yes
    assert "## Prediction" not in report.markdown()
    assert len(report.drawings) == 1
    assert "without labels" in report.summary


def test_sizes_can_be_read() -> None:
    x, _ = data("numbers")
    cost = next(
        table for table in fidelity_page(fidelity(*pair("numbers"), x, resamples=1)).tables if table.title == "Cost"
    )
    rows = {row[0]: row[1:] for row in cost.rows}
    assert "," in rows["bytes"][0]
    assert "e+" not in "".join(rows["peak_bytes@1024"])
