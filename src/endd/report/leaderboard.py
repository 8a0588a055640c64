"""All models of a study in one order: the best first."""

import math
import sys
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from endd.report import figures as draw
from endd.report.cifar10_scores import pooled
from endd.report.figures import BLUE, ORANGE
from endd.report.rows import estimates
from endd.report.tables import Table, cell
from endd.studies.result import Result

SHOWN = ("accuracy", "rmse", "nll", "brier", "ece", "ause", "crps")
FIDELITY = ("kl_teacher", "epistemic_spearman", "epistemic_ratio", "rejection_overlap@10", "train_seconds")
TEACHER = "ensemble"
#: How scores of which more is better begin, and those of which 1 is best; what shares are to be.
RISING = ("accuracy", "auroc", "epistemic_spearman", "rejection_overlap")
RATIOS = ("epistemic_ratio", "variance_ratio")
SHARES = {"coverage95": 0.95}
# Models that are all good differ in the last digits.
GAP_DIGITS = 4
PANELS_A_ROW = 3
NOTE = (
    "Means with 95 % intervals over splits and seeds; the gap is to the ensemble, paired, or to the first model where "
    "the ensemble has no such score. Scores that no model has are left out."
)


def leaderboard(result: Result, metric: str = "nll") -> list[Table]:
    """A table a data set, sorted by a metric; of a study of images one of the clean and one of all corrupted sets."""
    result = pooled(result, (*SHOWN, *FIDELITY))
    tables = [_table(result, dataset, metric) for dataset in result.datasets() if _ranked(result, dataset, metric)]
    if not tables:
        known = sorted({record.metric for record in result.records})
        raise ValueError(f"Expected a metric of the study ({', '.join(known)}), but got {metric!r}.")
    return tables


def leaderboard_figure(result: Result, metric: str = "nll") -> Figure:
    """The gap of every model to the ensemble (or else the best), with its interval; a panel a data set."""
    result = pooled(result, (*SHOWN, *FIDELITY))
    names = [name for name in result.datasets() if _ranked(result, name, metric)]
    tallest = max(len(_ranked(result, name, metric)) for name in names)
    columns = min(len(names), PANELS_A_ROW)
    lines = math.ceil(len(names) / columns)
    figure = Figure(figsize=(4.6 * columns, lines * (1.2 + 0.34 * tallest)), layout="constrained")
    panels = [figure.add_subplot(lines, columns, place) for place in range(1, len(names) + 1)]
    for axes, dataset in zip(panels, names, strict=True):
        ranked = _ranked(result, dataset, metric)
        baseline = _baseline(ranked)
        ranked.reverse()
        gaps = [result.difference(model, baseline, metric, dataset) for model in ranked]
        known = [(place, gap) for place, gap in enumerate(gaps) if gap is not None]
        axes.axvline(0, color=ORANGE, linewidth=1.3)
        most = max(gap.count for _, gap in known)
        for place, gap in known:
            # hollow: a mean over fewer values than others', which is not the surest of all where it has no interval
            fill = BLUE if gap.count == most else "white"
            look: dict[str, Any] = {"marker": "o", "markersize": 5, "capsize": 3, "markerfacecolor": fill}
            axes.errorbar(gap.mean, place, xerr=np.nan_to_num(gap.half_width), color=BLUE, linestyle="none", **look)
        axes.set_yticks(range(len(ranked)), ranked)
        axes.set(title=dataset, xlabel=f"{metric} minus that of {baseline}")
        draw.dress(axes)
    return figure


def _table(result: Result, dataset: str, metric: str) -> Table:
    ranked = _ranked(result, dataset, metric)
    baseline = _baseline(ranked)
    columns = [metric, *(name for name in (*SHOWN, *FIDELITY) if name != metric)]
    columns = [name for name in columns if any(result.values(model, name, dataset) for model in ranked)]
    counts = {model: len(result.values(model, metric, dataset)) for model in ranked}
    uneven = len({*counts.values()}) > 1
    rows = [
        (
            str(place),
            model,
            *([str(counts[model])] if uneven else []),
            cell(result.difference(model, baseline, metric, dataset), GAP_DIGITS, signed=True),
            *estimates(result, model, columns, dataset),
        )
        for place, model in enumerate(ranked, 1)
    ]
    header = ("", "model", *(["values"] if uneven else []), f"{metric} gap", *columns)
    note = f"{NOTE} values: how many the means are of; the order is that of the means." if uneven else NOTE
    return Table(f"{dataset}, by {metric}", header, tuple(rows), note)


def _ranked(result: Result, dataset: str, metric: str) -> list[str]:
    """Models with this score, the best first."""
    found = {model: result.estimate(model, metric, dataset) for model in result.models()}
    means = {model: value.mean for model, value in found.items() if value is not None}

    def worth(model: str) -> float:
        mean = means[model]
        if metric.startswith(RATIOS):
            return abs(math.log(max(mean, sys.float_info.min)))
        if metric in SHARES:
            return abs(mean - SHARES[metric])
        return -mean if metric.startswith(RISING) else mean

    return sorted(means, key=worth)


def _baseline(ranked: list[str]) -> str:
    """Whom gaps are to."""
    return TEACHER if TEACHER in ranked else ranked[0]
