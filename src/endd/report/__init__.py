"""Reports: what a study left behind, as tables, figures and one page. Nothing here loads torch or a network."""

from pathlib import Path

from endd.report.cifar10 import cifar10_report
from endd.report.estimators import estimators_report
from endd.report.page import render_page
from endd.report.table import table_report
from endd.report.tables import Table
from endd.report.toy import toy_report
from endd.report.uci import uci_report
from endd.studies.result import Result

__all__ = ["Table", "write_report"]

REPORTS = {
    "toy": toy_report,
    "uci": uci_report,
    "cifar10": cifar10_report,
    "estimators": estimators_report,
    "table": table_report,
    "evaluation": table_report,
}


def write_report(folder: str | Path) -> str:
    """From metrics.json and curves.npz of a folder write table.md, figures/*.png and report.html; return the table."""
    folder = Path(folder)
    result = Result.load(folder)
    if result.study not in REPORTS:
        raise ValueError(f"Expected a study with a report ({', '.join(REPORTS)}), but got {result.study!r}.")
    report = REPORTS[result.study](result)
    (folder / "figures").mkdir(exist_ok=True)
    for drawing in report.drawings:
        (folder / "figures" / f"{drawing.name}.png").write_bytes(drawing.png)
    table = report.markdown()
    (folder / "table.md").write_text(table)
    (folder / "report.html").write_text(render_page(report, result))
    return table
