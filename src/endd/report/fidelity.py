"""The report of a student beside its ensemble: may it take its place?"""

from collections.abc import Iterator

import numpy as np
from matplotlib.figure import Figure

from endd.report import figures as draw
from endd.report.document import Drawing, Report
from endd.report.figures import BLUE, INK
from endd.report.tables import MISSING, Table
from endd.studies.result import Result

TEACHER, STUDENT, PARTS = "ensemble", "distilled", ("total", "aleatoric", "epistemic")
SCORES = ("accuracy", "rmse", "nll", "brier", "ece", "aurc", "ause")
COST = ("parameters", "bytes", "ms_a_row@1", "ms_a_row@64", "ms_a_row@1024")
AGREEMENT = {
    "kl_teacher": "kl_reference",
    "epistemic_spearman": "epistemic_spearman_reference",
    "epistemic_ratio": "epistemic_ratio_reference",
    "rejection_overlap@10": "rejection_overlap_reference@10",
    "aleatoric_spearman": None,
    "aleatoric_ratio": None,
    "total_spearman": None,
    "total_ratio": None,
}


def fidelity_report(result: Result) -> Report:
    """Verdict, scores, agreement, cost, and where the two differ most."""
    config = result.config
    verdict = "Yes" if config["verdict"] else "No"
    reasons = "; ".join(_reason(*check) for check in config["checks"])
    summary = (
        f"May the student replace its ensemble? {verdict}, by what is required of it: {reasons}. {config['members']} "
        f"members, {config['family']}; a student that says {config['v']}; {config['rows']} inputs "
        f"{'with' if config['labels'] else 'without'} labels."
    )
    return Report("Student and ensemble", summary, tuple(_drawings(result)), tuple(_tables(result)))


def _reason(requirement: str, value: float, bound: float, met: bool) -> str:
    return f"{requirement} ({value:.4g} and {bound:.4g}) is {'met' if met else 'not met'}"


def _tables(result: Result) -> Iterator[Table]:
    config = result.config
    rows = tuple((text, f"{v:.4g}", f"{b:.4g}", "met" if met else "missed") for text, v, b, met in config["checks"])
    yield Table("Verdict", ("required", "found", "bound", ""), rows, f"Required: {config['require']}.")
    if config["labels"]:
        yield _scores(result)
    yield _agreement(result)
    yield _cost(result)
    yield _worst(result)


def _number(result: Result, model: str, metric: str) -> float | None:
    return next(iter(result.values(model, metric).values()), None)


def _with_interval(result: Result, model: str, metric: str) -> str:
    value = _number(result, model, metric)
    if value is None:
        return MISSING
    ends = result.config["intervals"].get(model, {}).get(metric)
    return f"{value:.4f}" + ("" if ends is None else f" ({ends[0]:.4f} to {ends[1]:.4f})")


def _scores(result: Result) -> Table:
    rows = []
    for metric in SCORES:
        ends = result.config["differences"].get(metric)
        if ends is not None:
            cells = [_with_interval(result, model, metric) for model in (TEACHER, STUDENT)]
            rows.append((metric, *cells, f"{ends[0]:+.4f} to {ends[1]:+.4f}"))
    note = "In brackets 95 % intervals over resampled rows; the last column is that of the difference, paired by row."
    return Table("Prediction", ("score", TEACHER, STUDENT, "student minus ensemble"), tuple(rows), note)


def _agreement(result: Result) -> Table:
    rows = []
    for metric, reference in AGREEMENT.items():
        value = None if reference is None else _number(result, TEACHER, reference)
        rows.append((metric, _with_interval(result, STUDENT, metric), MISSING if value is None else f"{value:.4f}"))
    note = (
        "kl_teacher: mean divergence of the student's predictive from the ensemble's. Spearman: whether both put "
        "inputs in the same order; ratio: of the mean sizes; rejection_overlap@10: how many of the 10 % most uncertain "
        "inputs are the same. Last column: the same between two halves of the ensemble."
    )
    return Table("Agreement with the ensemble", ("", STUDENT, "two halves of the ensemble"), tuple(rows), note)


def _cost(result: Result) -> Table:
    rows = []
    for metric in COST:
        teacher, student = (_number(result, model, metric) for model in (TEACHER, STUDENT))
        assert teacher is not None
        assert student is not None
        rows.append((metric, f"{teacher:.6g}", f"{student:.6g}", f"{teacher / student:.1f}"))
    note = "Times are medians on the machine that made this page, uncertainties included, by the rows of a batch."
    return Table("Cost", ("", TEACHER, STUDENT, "times"), tuple(rows), note)


def _worst(result: Result) -> Table:
    header = ("input", "kl", *(f"{model} {part}" for model in (TEACHER, STUDENT) for part in PARTS))
    places, numbers = result.curves["worst_rows"], result.curves["worst"]
    rows = tuple((str(place), *(f"{v:.4g}" for v in row)) for place, row in zip(places, numbers, strict=True))
    return Table("Inputs on which they differ most", header, rows, "Inputs are counted from 0.")


def _drawings(result: Result) -> Iterator[Drawing]:
    yield Drawing(
        "agreement",
        agreement_figure(result),
        "Each part of the uncertainty, the student's against the ensemble's, a point an input.",
        "Three panels of points around the diagonal: total, aleatoric and epistemic uncertainty.",
    )


def agreement_figure(result: Result) -> Figure:
    """The student's uncertainties against the ensemble's."""
    figure = Figure(figsize=(11, 3.8), layout="constrained")
    for axes, part in zip(figure.subplots(1, 3), PARTS, strict=True):
        tiny = np.finfo(np.float32).tiny
        teacher, student = (np.maximum(result.curves[f"{model}/{part}"], tiny) for model in (TEACHER, STUDENT))
        limits = np.quantile(np.concatenate([teacher, student]), [0.002, 0.998]) * [0.7, 1.4]
        axes.scatter(teacher, student, s=7, linewidth=0, alpha=0.5, color=BLUE)
        axes.plot(limits, limits, color=INK, linewidth=1, linestyle=":")
        axes.set(xscale="log", yscale="log", xlim=limits, ylim=limits, title=part)
        axes.set(xlabel="the ensemble's", ylabel="the student's")
        draw.dress(axes)
    return figure
