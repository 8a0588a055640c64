"""endd.fidelity_report."""

from pathlib import Path
from typing import Any, NamedTuple

from endd._files import check_can_write
from endd.report.fidelity import fidelity_page
from endd.report.page import render_page
from endd.studies.result import Result


class FidelityReport(NamedTuple):
    """Whether a student may replace its ensemble, all numbers, and the page that shows them, as HTML and as text."""

    verdict: bool
    result: Result
    page: str
    text: str


def fidelity_report(
    teacher: Any, student: Any, x: Any, y: Any = None, path: str | Path | None = None, **options: Any
) -> FidelityReport:
    """Put a student beside its ensemble, and write one page that says whether it may take its place.

    x: inputs as both take them. y: targets; without them only agreement and cost are looked at. path: where the page
    goes, if anywhere. options: `require`, such as "kl_teacher<=kl_reference, rejection_overlap@10>=0.8"; `resamples`
    and `seed` of the intervals; `columns` and `classes` to show of the inputs that differ most.

    >>> import endd, torch
    >>> family = endd.families.Gaussian()
    >>> ensemble = endd.Ensemble([endd.nn.MLP(2, [4], 2) for _ in range(4)], family)
    >>> student = endd.Student(endd.nn.MLP(2, [4], 5), family)
    >>> report = endd.fidelity_report(ensemble, student, torch.randn(30, 2), require="kl_teacher<=-1", resamples=2)
    >>> report.verdict
    False
    """
    from endd.studies.fidelity import fidelity  # here, because reading reports must not wait for torch

    if path is not None:
        _check_page(Path(path))
    return rendered(fidelity(teacher, student, x, y, **options), path)


def _check_page(path: Path) -> None:
    """Raise if no page can be written there: before the work, not after."""
    check_can_write(path.parent, "place for the page")
    if path.is_dir():
        raise IsADirectoryError(f"Expected a page to write, but {path} is a folder. Choose another name.")


def rendered(result: Result, path: str | Path | None = None) -> FidelityReport:
    """The page of a result, written where it should be."""
    report = fidelity_page(result)
    found = FidelityReport(bool(result.config["verdict"]), result, render_page(report, result), report.markdown())
    if path is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(found.page, encoding="utf-8")
    return found
