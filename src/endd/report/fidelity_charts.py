"""Charts of a student beside its ensemble."""

from collections.abc import Iterator

import numpy as np

from endd.report.charts import Array, Chart, Line, Panel, Points
from endd.studies.result import Result

TEACHER, STUDENT, PARTS = "ensemble", "distilled", ("total", "aleatoric", "epistemic")
KINDS = {TEACHER: "teacher", STUDENT: "student"}
LABELS = {TEACHER: "ensemble", STUDENT: "student"}
BANDS = "Shaded: 95 % over resampled rows."


def fidelity_charts(result: Result) -> Iterator[Chart]:
    """Agreement always; calibration, sparsification and risk where there are labels."""
    yield agreement_chart(result)
    if result.config["labels"]:
        yield quality_chart(result)


def agreement_chart(result: Result) -> Chart:
    """Each part of the student's uncertainty against the ensemble's."""
    found = [_number(result, f"{part}_{score}") for part in PARTS for score in ("spearman", "ratio")]
    said = [
        f"{p}: Spearman {s:.2f}, mean ratio {r:.2f}" for p, s, r in zip(PARTS, found[::2], found[1::2], strict=True)
    ]
    alt = "Three scatters of the student's uncertainty against the ensemble's, around the diagonal. " + "; ".join(said)
    caption = (
        "Each part of the uncertainty, a point an input, both axes logarithmic. On the dotted line they are equal."
    )
    return Chart("agreement", tuple(_scatter(result, part) for part in PARTS), caption, f"{alt}.")


def quality_chart(result: Result) -> Chart:
    """Calibration, sparsification and risk-coverage of both."""
    panels = [panel for panel in (_calibration(result), _sparsification(result), _risk(result)) if panel is not None]
    names = ("accuracy", "rmse", "nll", "ece", "calibration_error", "ause", "aurc")
    known = [name for name in names if result.values(STUDENT, name)]
    said = "; ".join(
        f"{n}: ensemble {_number(result, n, TEACHER):.3g}, student {_number(result, n):.3g}" for n in known
    )
    titles = ", ".join(panel.title.lower() for panel in panels)
    caption = (
        "Calibration: how often the truth is where it was said to be. Sparsification: the error that is left once the "
        "most uncertain inputs are gone, as a share of all. Risk and coverage: the mean loss of the inputs that are "
        f"kept. {BANDS}"
    )
    return Chart("quality", tuple(panels), caption, f"Curves of ensemble and student: {titles}. {said}.")


def _number(result: Result, metric: str, model: str = STUDENT) -> float:
    return next(iter(result.values(model, metric).values()), float("nan"))


def _scatter(result: Result, part: str) -> Panel:
    tiny = np.finfo(np.float32).tiny
    x, y = (np.maximum(result.curves[f"{model}/{part}"].astype(float), tiny) for model in (TEACHER, STUDENT))
    low, high = np.quantile(np.concatenate([x, y]), [0.002, 0.998]) * [0.7, 1.4]
    ends = (float(low), float(max(high, low * 1.01)))
    rows = result.curves["scattered"].tolist()
    tips = tuple(f"input {n}\nensemble {a:.3g}\nstudent {b:.3g}" for n, a, b in zip(rows, x, y, strict=True))
    equal = Line(np.array(ends), np.array(ends), "equal", "equal")
    return Panel(part, "ensemble", "student", (equal, Points(x, y, tips, "student")), ends, ends, log=True)


def _calibration(result: Result) -> Panel | None:
    equal = Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "equal")
    if f"{STUDENT}/calibration" in result.curves:
        lines = _lines(result, "calibration", result.curves["levels"], "interval of {0:.0%} holds {1:.1%}")
        return Panel("Calibration", "level of the interval", "share inside", (equal, *lines), (0, 1), (0, 1))
    if f"{STUDENT}/confidence" not in result.curves:
        return None
    lines = [
        Line(
            *(x := result.curves[f"{m}/confidence"], y := result.curves[f"{m}/accuracy"], KINDS[m], LABELS[m]),
            tips=_tips(LABELS[m], x, y, "said {0:.1%}, right {1:.1%}"),
        )
        for m in KINDS
    ]
    return Panel("Calibration", "confidence", "accuracy", (equal, *lines), (0, 1), (0, 1))


def _sparsification(result: Result) -> Panel:
    lines = _lines(result, "sparsification", result.curves["fraction"], "without {0:.0%}: {1:.3g} of the error")
    top = max(float(line.y.max()) for line in lines)
    return Panel("Sparsification", "share removed", "error left", tuple(lines), (0, 1), (0, 1.1 * max(top, 1e-12)))


def _risk(result: Result) -> Panel:
    lines = _lines(result, "risk", result.curves["fraction"][1:], "{0:.0%} kept: risk {1:.3g}", skip=1)
    top = max(float(line.y.max()) for line in lines)
    return Panel("Risk and coverage", "share kept", "mean loss", tuple(lines), (0, 1), (0, 1.1 * max(top, 1e-12)))


def _lines(result: Result, name: str, x: Array, words: str, skip: int = 0) -> list[Line]:
    """The curve of both; the first points may be left out, where no rows are kept."""
    found = []
    for model, kind in KINDS.items():
        y, band = result.curves[f"{model}/{name}"][skip:], result.curves.get(f"{model}/{name}_band")
        cut = None if band is None else band[:, skip:]
        found.append(Line(x, y, kind, LABELS[model], cut, _tips(LABELS[model], x, y, words)))
    return found


def _tips(label: str, x: Array, y: Array, words: str) -> tuple[str, ...]:
    return tuple(f"{label}\n{words.format(a, b)}" for a, b in zip(x, y, strict=True))
