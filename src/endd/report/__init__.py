"""Reports: what a study left behind, as tables, figures and one page. Nothing here loads torch or a network."""

from dataclasses import replace
from pathlib import Path

from endd._files import make_folder, replace_file
from endd.report.cifar10 import cifar10_report
from endd.report.document import Drawing
from endd.report.estimators import estimators_report
from endd.report.fidelity import fidelity_page
from endd.report.frontier import frontier_report
from endd.report.leaderboard import leaderboard, leaderboard_figure
from endd.report.own import own_tables
from endd.report.page import render_page
from endd.report.replacing import FidelityReport, fidelity_report
from endd.report.table import table_report
from endd.report.tables import Table
from endd.report.toy import toy_report
from endd.report.uci import uci_report
from endd.studies.result import Result

__all__ = ["FidelityReport", "Table", "fidelity_report", "write_leaderboard", "write_report"]

REPORTS = {
    "toy": toy_report,
    "uci": uci_report,
    "cifar10": cifar10_report,
    "estimators": estimators_report,
    "table": table_report,
    "evaluation": table_report,
    "fidelity": fidelity_page,
    "frontier": frontier_report,
}


def write_report(folder: str | Path) -> str:
    """From metrics.json and curves.npz of a folder write table.md, figures/*.png and report.html; return the table."""
    folder = Path(folder)
    result = Result.load(folder)
    if result.study not in REPORTS:
        raise ValueError(f"Expected a study with a report ({', '.join(REPORTS)}), but got {result.study!r}.")
    report = REPORTS[result.study](result)
    report = replace(report, tables=(*own_tables(result), *report.tables))
    (folder / "figures").mkdir(exist_ok=True)
    for drawing in (one for one in report.drawings if isinstance(one, Drawing)):  # charts stand in the page alone
        (folder / "figures" / f"{drawing.name}.png").write_bytes(drawing.png)
    table = report.markdown()
    (folder / "table.md").write_text(table)
    (folder / "report.html").write_text(render_page(report, result))
    return table


def write_leaderboard(folder: str | Path, metric: str = "nll") -> tuple[str, Path]:
    """The models of a study in order, as Markdown (also in leaderboard.md), and where the picture of them was put."""
    folder = Path(folder)
    if not (folder / "metrics.json").exists():
        raise FileNotFoundError(f"Expected the folder of a study, but {folder} holds no metrics.json.")
    result = Result.load(folder)
    tables = "\n".join(table.markdown() for table in leaderboard(result, metric))
    alt = f"The gap in {metric} of every model to the ensemble, the best on top."
    drawing = Drawing("leaderboard", leaderboard_figure(result, metric), f"Gaps in {metric} to the ensemble.", alt)
    picture = folder / "figures" / "leaderboard.png"
    make_folder(picture.parent)
    replace_file(picture, drawing.png)
    replace_file(folder / "leaderboard.md", tables.encode())
    return tables, picture
