"""The report of a student beside its ensemble: may it take its place?"""

from collections.abc import Iterator

from endd.report.document import Report, Verdict
from endd.report.fidelity_charts import LABELS, PARTS, STUDENT, TEACHER, fidelity_charts
from endd.report.tables import MISSING, Table
from endd.studies.result import Result

QUESTION = "May the student replace its ensemble?"
SCORES = ("accuracy", "rmse", "nll", "brier", "ece", "calibration_error", "aurc", "ause")
COST = (
    *("parameters", "bytes", "peak_bytes@64", "peak_bytes@1024"),
    *("ms_a_row@1", "ms_a_row@64", "ms_a_row@1024"),
)
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


def fidelity_page(result: Result) -> Report:
    """Verdict, charts, scores, agreement, cost, and where the two differ most."""
    config = result.config
    reasons = tuple(_reason(*check) for check in config["checks"])
    summary = (
        f"An ensemble of {config['members']} networks, {_name(config['family'])}, and a student that says "
        f"{_name(config['v'])}, on {config['rows']} inputs {'with' if config['labels'] else 'without'} labels."
    )
    verdict = Verdict(QUESTION, config["verdict"], reasons)
    return Report("Student and ensemble", summary, tuple(fidelity_charts(result)), tuple(_tables(result)), verdict)


def _name(text: str) -> str:
    """Of a family or a form, without its settings."""
    return text.partition("(")[0].removesuffix(".of")


def _reason(requirement: str, value: float, bound: float, met: bool) -> str:
    return f"{requirement} is {'met' if met else 'not met'}: {value:.4g} and {bound:.4g}"


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
    return f"{value:.4g}" + ("" if ends is None else f" ({ends[0]:.4g} to {ends[1]:.4g})")


def _scores(result: Result) -> Table:
    rows = []
    for metric in SCORES:
        ends = result.config["differences"].get(metric)
        if ends is not None:
            cells = [_with_interval(result, model, metric) for model in (TEACHER, STUDENT)]
            rows.append((metric, *cells, f"{ends[0]:+.2g} to {ends[1]:+.2g}"))
    note = "In brackets 95 % intervals over resampled rows; the last column is that of the difference, paired by row."
    return Table("Prediction", ("score", "ensemble", "student", "student minus ensemble"), tuple(rows), note)


def _agreement(result: Result) -> Table:
    rows = []
    for metric, reference in AGREEMENT.items():
        value = None if reference is None else _number(result, TEACHER, reference)
        rows.append((metric, _with_interval(result, STUDENT, metric), MISSING if value is None else f"{value:.4g}"))
    note = (
        "kl_teacher: mean divergence of the student's predictive from the ensemble's. Spearman: whether both put "
        "inputs in the same order; ratio: of the mean sizes; rejection_overlap@10: how many of the 10 % most uncertain "
        "inputs are the same. Last column: the same between two halves of the ensemble."
    )
    return Table("Agreement with the ensemble", ("score", "student", "two halves of the ensemble"), tuple(rows), note)


def _cost(result: Result) -> Table:
    rows = []
    for metric in COST:
        teacher, student = (_number(result, model, metric) for model in (TEACHER, STUDENT))
        assert teacher is not None
        assert student is not None
        rows.append((metric, _size(teacher), _size(student), f"{teacher / student:.2g}"))
    note = (
        "Times are medians on the machine that made this page, uncertainties included, by the rows of a batch. "
        "Bytes are those of all weights; at their peak, with all tensors that are alive at once."
    )
    return Table("Cost", ("cost", "ensemble", "student", "ratio"), tuple(rows), note)


def _size(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _worst(result: Result) -> Table:
    """The inputs with the largest divergence: what both say of them, and their first columns."""
    shown = result.config["shown"]
    said = {LABELS[model]: _said(result, model) for model in LABELS if f"worst_{model}" in result.curves}
    parts = (f"{label} {part}" for part in PARTS for label in LABELS.values())
    header = ("input", "kl", *(f"{label} says" for label in said), *parts, *shown)
    rows = []
    for at, place in enumerate(result.curves["worst_rows"]):
        kl, *numbers = result.curves["worst"][at]
        paired = (numbers[len(PARTS) * model + part] for part in range(len(PARTS)) for model in range(2))
        own = [values[at] for values in said.values()]
        cells = [f"{kl:.3g}", *own, *(f"{value:.3g}" for value in paired)]
        rows.append((str(place), *cells, *(values[at] for values in shown.values())))
    note = "Inputs are counted from 0. kl: divergence of the student's predictive from the ensemble's."
    return Table("Inputs on which they differ most", header, tuple(rows), note)


def _said(result: Result, model: str) -> list[str]:
    """Means, or the names of classes where they are known."""
    classes, values = result.config.get("classes"), result.curves[f"worst_{model}"].tolist()
    if classes:
        return [str(classes[value]) for value in values]
    return [f"{value:.4g}" for value in values]
