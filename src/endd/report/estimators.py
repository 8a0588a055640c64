"""The report of the estimators as they come: what the student keeps, and how it stands beside boosted trees."""

from collections.abc import Iterable

import numpy as np
from matplotlib.figure import Figure

from endd.report import figures as draw
from endd.report.document import Drawing, Report
from endd.report.figures import BLUE, GREY, ORANGE
from endd.report.rows import estimates
from endd.report.tables import MISSING, Table, cell
from endd.studies.result import Result
from endd.studies.statistics import Estimate, ratio

#: At least so much of the ensemble's gain is to be kept, and at most so many times the error of the trees made.
KEPT, BESIDE_TREES = 0.8, 1.10
FIDELITY = ("kl_teacher", "epistemic_spearman", "epistemic_ratio", "train_seconds")


def estimators_report(result: Result) -> Report:
    """All of it, from the records."""
    config = result.config
    summary = (
        f"DistilledClassifier and DistilledRegressor with their defaults, {config['splits']} random splits with "
        f"{config['test_share']:.0%} of the rows held out: means with 95 % intervals, which take the splits as "
        "independent. ensemble: the teacher. distilled: its student. single: one of its members. boosting: "
        "scikit-learn's HistGradientBoosting with its defaults."
    )
    return Report("The estimators as they come", summary, tuple(_drawings(result)), tuple(_tables(result)))


def gain_kept(result: Result, dataset: str) -> Estimate | None:
    """The part of the ensemble's gain in nll over a single network that the student keeps; None without a gain."""
    models = ("single", "distilled", "ensemble")
    single, distilled, ensemble = (_values(result, model, "nll", dataset) for model in models)
    if np.mean(single) <= np.mean(ensemble):
        return None
    return ratio([*(single - distilled)], [*(single - ensemble)])


def beside_trees(result: Result, dataset: str) -> Estimate:
    """The student's error as a multiple of the boosted trees'."""
    metric = measure(result, dataset)
    distilled, trees = (_values(result, model, metric, dataset) for model in ("distilled", "boosting"))
    return ratio([*distilled], [*trees])


def measure(result: Result, dataset: str) -> str:
    """rmse of numbers, nll (the log loss) of classes."""
    return "rmse" if result.values("distilled", "rmse", dataset) else "nll"


def _values(result: Result, model: str, metric: str, dataset: str) -> np.ndarray:
    found = result.values(model, metric, dataset)
    return np.array([found[repeat] for repeat in sorted(found)])


def _tables(result: Result) -> Iterable[Table]:
    kept = {dataset: gain_kept(result, dataset) for dataset in result.datasets()}
    rows = tuple(
        (
            dataset,
            str(len(result.values("distilled", "nll", dataset))),
            *(cell(result.estimate(model, "nll", dataset)) for model in ("single", "ensemble", "distilled")),
            MISSING if found is None else cell(found, 2),
            *estimates(result, "distilled", FIDELITY, dataset),
        )
        for dataset, found in kept.items()
    )
    header = ("data set", "splits", "single", "ensemble", "distilled", "gain kept", *FIDELITY)
    note = (
        "single to distilled: nll. gain kept: the part of the ensemble's gain over a single network that the student "
        "keeps, a ratio of means over splits. kl_teacher: mean KL of the student's predictive from the ensemble's. "
        "epistemic_...: the epistemic part against the ensemble's, in order (Spearman) and size (ratio of means). "
        "train_seconds: of the whole fit. " + _verdict(f"at least {KEPT:.0%} is kept", _missed_gain(kept))
    )
    yield Table("What the student keeps", header, rows, note)
    found = {dataset: beside_trees(result, dataset) for dataset in result.datasets()}
    rows = tuple(
        (
            dataset,
            measure(result, dataset),
            *(cell(result.estimate(m, measure(result, dataset), dataset)) for m in ("ensemble", "distilled")),
            cell(result.estimate("boosting", measure(result, dataset), dataset)),
            cell(times, 2),
        )
        for dataset, times in found.items()
    )
    missed = [dataset for dataset, times in found.items() if times.mean > BESIDE_TREES]
    note = "ratio: distilled over boosting. " + _verdict(f"the ratio is at most {BESIDE_TREES:.2f}", missed)
    yield Table(
        "Beside boosted trees", ("data set", "measure", "ensemble", "distilled", "boosting", "ratio"), rows, note
    )


def _missed_gain(kept: dict[str, Estimate | None]) -> list[str]:
    return [dataset for dataset, found in kept.items() if found is not None and found.mean < KEPT]


def _verdict(claim: str, missed: list[str]) -> str:
    return f"On every set {claim}." if not missed else f"On every set {claim} but for {', '.join(missed)}."


def _drawings(result: Result) -> Iterable[Drawing]:
    yield Drawing(
        "kept",
        _figure(result),
        "Left: the part of the ensemble's gain in nll over a single network that the student keeps. Right: its error "
        "(rmse or log loss) as a multiple of that of boosted trees. Dashed: what is aimed at.",
        "Two panels with a point and an interval for every data set.",
    )


def _figure(result: Result) -> Figure:
    names = result.datasets()
    figure, grid = draw.new_figure(1, 2, (9.5, 3.6))
    left, right = grid[0]
    kept = {name: gain_kept(result, name) for name in names}
    gaining = [(place, found) for place, found in enumerate(kept.values()) if found is not None]
    places, found = [place for place, _ in gaining], [value for _, value in gaining]
    draw.draw_estimates(left, np.array(places), found, BLUE, linestyle="none")
    left.axhline(1, color=ORANGE, linewidth=1.3)
    left.axhline(KEPT, color=GREY, linestyle="--", linewidth=1)
    left.set(ylabel="Gain kept")
    draw.draw_estimates(
        right, np.arange(len(names)), [beside_trees(result, name) for name in names], BLUE, linestyle="none"
    )
    right.axhline(1, color=ORANGE, linewidth=1.3)
    right.axhline(BESIDE_TREES, color=GREY, linestyle="--", linewidth=1)
    right.set(ylabel="Error over that of trees")
    for axes in (left, right):
        axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
        axes.set_xlim(-0.5, len(names) - 0.5)
    return figure
