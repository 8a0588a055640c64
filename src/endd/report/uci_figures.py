"""The figures of the UCI study: a panel a data set."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from endd.report import figures as draw
from endd.report.figures import BLUE, GREEN, GREY, INK, ORANGE
from endd.report.uci_targets import NLL_GAP
from endd.studies.result import Result

DRAWN = {"ensemble": ORANGE, "distilled": BLUE, "mixture": GREEN}
COMPARED = {
    "distilled": "distilled,\nfull",
    "distilled_diagonal": "distilled,\ndiagonal",
    "mixture": "mixture",
    "reference": "another\nensemble",
    "single": "single",
}
# Panels in a row.
COLUMNS = 5


def gaps_figure(result: Result) -> Figure:
    """NLL minus the ensemble's, paired over splits, with 95 % intervals."""
    figure = _panels(result, 3.6)
    for dataset, axes in _each(result, figure):
        found = {name: result.difference(name, "ensemble", "nll", dataset) for name in COMPARED}
        shown = [value for value in found.values() if value is not None]
        axes.axhline(0, color=ORANGE, linewidth=1.3, label="the ensemble")
        if dataset in NLL_GAP:
            axes.axhline(NLL_GAP[dataset], color=GREY, linestyle="--", linewidth=1, label="the student's target")
        draw.draw_estimates(axes, np.arange(len(shown)), shown, BLUE, linestyle="none", label="95 % interval")
        labels = [COMPARED[name] for name, value in found.items() if value is not None]
        axes.set_xticks(range(len(labels)), labels, rotation=90)
    return _finished(figure, "NLL minus the ensemble's", "")


def sparsification_figure(result: Result) -> Figure:
    """Error that remains once the most uncertain part is gone."""
    figure = _panels(result, 3.1)
    for dataset, axes in _each(result, figure):
        fraction = result.curves[f"{dataset}/fraction"]
        oracle = result.curves[f"{dataset}/ensemble_oracle"]
        draw.draw_curves(axes, fraction, oracle, GREY, "the ensemble's oracle", linestyle="--")
        for name, color in DRAWN.items():
            curves = result.curves[f"{dataset}/{name}_sparsification"]
            axes.plot(fraction, curves.mean(0), color=color, linewidth=1.8, label=name)
        axes.set(xlim=(0, 1), ylim=(0, None))
    return _finished(figure, "Error that remains, relative", "Fraction removed")


def epistemic_figure(result: Result) -> Figure:
    """The epistemic deviation of the student, and of another ensemble, against the teacher's."""
    figure = _panels(result, 3.4)
    for dataset, axes in _each(result, figure):
        teacher, student, reference = (
            np.maximum(result.curves[f"{dataset}/{name}_epistemic"], np.finfo(np.float32).tiny)
            for name in ("ensemble", "distilled", "reference")
        )
        style: dict[str, Any] = {"s": 7, "linewidth": 0, "alpha": 0.5}
        axes.scatter(teacher, reference, color=GREY, label="another ensemble", **style)
        axes.scatter(teacher, student, color=BLUE, label="distilled", **style)
        limits = np.quantile(np.concatenate([teacher, student, reference]), [0.001, 0.999]) * [0.7, 1.4]
        axes.plot(limits, limits, color=INK, linewidth=1, linestyle=":", label="equal")
        axes.set(xscale="log", yscale="log", xlim=limits, ylim=limits)
        for axis in (axes.xaxis, axes.yaxis):
            # plain numbers, few enough for a range within one power of ten
            axis.set_major_locator(LogLocator(subs=(1, 3)))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter(NullFormatter())
    return _finished(figure, "Epistemic deviation", "The teacher's")


def coverage_figure(result: Result) -> Figure:
    """How much of the test set lies inside central intervals, minus what should."""
    figure = _panels(result, 3.1)
    for dataset, axes in _each(result, figure):
        levels = result.curves[f"{dataset}/levels"]
        axes.axhline(0, color=INK, linewidth=1, linestyle=":", label="calibrated")
        for name, color in DRAWN.items():
            excess = result.curves[f"{dataset}/{name}_coverage"].mean(0) - levels
            axes.plot(levels, excess, color=color, linewidth=1.8, label=name)
        axes.set(xlim=(0, 1))
    return _finished(figure, "Share inside minus level", "Level of the interval")


def _panels(result: Result, height: float) -> Figure:
    count = len(result.datasets())
    columns = min(count, COLUMNS)
    rows = -(-count // columns)
    figure, _ = draw.new_figure(rows, columns, (max(3.0 * columns, 5), height * rows))
    return figure


def _each(result: Result, figure: Figure) -> Iterator[tuple[str, Axes]]:
    """Every data set with its panel; panels left over are hidden."""
    names = result.datasets()
    for dataset, axes in zip(names, figure.axes, strict=False):
        axes.set_title(dataset, color=INK)
        yield dataset, axes
    for axes in figure.axes[len(names) :]:
        axes.set_visible(False)


def _finished(figure: Figure, y: str, x: str) -> Figure:
    figure.supylabel(y, fontsize=10, color=INK)
    figure.supxlabel(x, fontsize=10, color=INK)
    draw.shared_legend(figure, figure.axes)
    return figure
