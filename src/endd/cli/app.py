"""The command itself, and what its parts share. Anything that needs torch is imported inside a command."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import cyclopts

from endd import __version__

if TYPE_CHECKING:
    from endd.studies import Result

app = cyclopts.App(
    name="endd",
    version=__version__,
    help="Distil an ensemble of networks into one that keeps its prediction and both kinds of its uncertainty.",
)

Progress = Literal["auto", "bar", "lines", "json", "none"]


def write_study(result: "Result", out: Path, model: Any = None) -> str:
    """The study's folder, with its report and, if there is one, its model; returns the tables."""
    from endd.report import write_report
    from endd.studies import study_folder

    with study_folder(out, result.study) as folder:
        if model is not None:
            from endd.persistence import save

            save(model, folder)
        result.save(folder)
        tables = write_report(folder)
    if model is not None:
        from endd.persistence import remove_stale

        remove_stale(out)
    return tables


def tell(out: Path) -> None:
    """Say where the results are."""
    print(f"Wrote {out / 'report.html'}, and beside it the numbers, tables and figures.")
