"""All models of a study in one order: the best first."""

import math
import sys
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from endd.report import figures as draw
from endd.report.cifar10_scores import CLEAN, Scores
from endd.report.figures import BLUE, ORANGE
from endd.report.rows import differences, estimates
from endd.report.tables import Table
from endd.studies.result import Record, Result

SHOWN = ("accuracy", "rmse", "nll", "brier", "ece", "ause", "crps")
FIDELITY = ("kl_teacher", "epistemic_spearman", "epistemic_ratio", "rejection_overlap@10", "train_seconds")
TEACHER = "ensemble"
#: Scores of which more is better.
RISING = ("accuracy", "epistemic_spearman", "rejection_overlap@10")
#: Those of which 1 is best.
RATIOS = ("epistemic_ratio",)
#: All corrupted sets of a study of images as one.
CORRUPTED = "mean over corrupted sets"
NOTE = (
    "Means with 95 % intervals over splits and seeds; the gap is to the ensemble, paired. Scores that no model has are "
    "left out."
)


def leaderboard(result: Result, metric: str = "nll") -> list[Table]:
    """A table a data set, sorted by a metric; of a study of images one of the clean and one of all corrupted sets."""
    result = _pooled(result)
    tables = [_table(result, dataset, metric) for dataset in result.datasets() if _ranked(result, dataset, metric)]
    if not tables:
        known = sorted({record.metric for record in result.records})
        raise ValueError(f"Expected a metric of the study ({', '.join(known)}), but got {metric!r}.")
    return tables


def leaderboard_figure(result: Result, metric: str = "nll") -> Figure:
    """The gap to the ensemble of every model, with its interval; a panel a data set."""
    result = _pooled(result)
    names = [name for name in result.datasets() if _ranked(result, name, metric)]
    tallest = max(len(_ranked(result, name, metric)) for name in names)
    figure = Figure(figsize=(4.6 * len(names), 1.2 + 0.34 * tallest), layout="constrained")
    for axes, dataset in zip(np.atleast_1d(figure.subplots(1, len(names))), names, strict=True):
        ranked = _ranked(result, dataset, metric)[::-1]
        gaps = [result.difference(model, TEACHER, metric, dataset) for model in ranked]
        known = [(place, gap) for place, gap in enumerate(gaps) if gap is not None]
        halves = np.nan_to_num([gap.half_width for _, gap in known])
        axes.axvline(0, color=ORANGE, linewidth=1.3)
        places, means = [place for place, _ in known], [gap.mean for _, gap in known]
        axes.errorbar(means, places, xerr=halves, color=BLUE, marker="o", markersize=5, capsize=3, linestyle="none")
        axes.set_yticks(range(len(ranked)), ranked)
        axes.set(title=dataset, xlabel=f"{metric} minus the ensemble's")
        draw.dress(axes)
    return figure


def _table(result: Result, dataset: str, metric: str) -> Table:
    ranked = _ranked(result, dataset, metric)
    columns = [metric, *(name for name in (*SHOWN, *FIDELITY) if name != metric)]
    columns = [name for name in columns if any(result.values(model, name, dataset) for model in ranked)]
    rows = [
        (
            str(place),
            model,
            *differences(result, model, TEACHER, [metric], dataset),
            *estimates(result, model, columns, dataset),
        )
        for place, model in enumerate(ranked, 1)
    ]
    return Table(f"{dataset}, by {metric}", ("", "model", f"{metric} gap", *columns), tuple(rows), NOTE)


def _ranked(result: Result, dataset: str, metric: str) -> list[str]:
    """Models with this score, the best first."""
    found = {model: result.estimate(model, metric, dataset) for model in result.models()}
    means = {model: value.mean for model, value in found.items() if value is not None}

    def worth(model: str) -> float:
        if metric in RATIOS:
            return abs(math.log(max(means[model], sys.float_info.min)))
        return -means[model] if metric in RISING else means[model]

    return sorted(means, key=worth)


def _pooled(result: Result) -> Result:
    """A study of images with the mean over its many corrupted sets as one set; any other study as it is."""
    if CLEAN not in result.datasets():
        return result
    scores = Scores(result)
    means = [
        Record(model, CORRUPTED, "test", seed, metric, value)
        for model in result.models()
        for metric in (*SHOWN, *FIDELITY)
        for seed, value in scores.over_corrupted(model, metric).items()
    ]
    return replace(result, records=[record for record in result.records if record.dataset == CLEAN] + means)
