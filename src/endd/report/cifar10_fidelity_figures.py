"""The figures of the CIFAR-10 study about its students' epistemic uncertainty beside the teacher's."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from endd.report import figures as draw
from endd.report.cifar10_methods import LEVELS, METHODS, REFERENCE, Method
from endd.report.cifar10_scores import CLEAN, TEACHER, Scores
from endd.report.figures import INK
from endd.studies.result import Result

#: Students with a split, and another ensemble's name among the curves.
SPLIT, OTHER = ("distilled", "distilled_paper", "dirichlet"), "reference"
FIDELITY = {"epistemic_spearman": "Spearman with the teacher's", "epistemic_ratio": "Mean, relative to the teacher's"}


def epistemic_figure(result: Result) -> Figure:
    """The epistemic uncertainty of students, and of another ensemble, against the teacher's; a column a severity."""
    students = [name for name in SPLIT if f"{name}/epistemic/{CLEAN}" in result.curves]
    rows, size = max(len(students), 1), (13, 2.35 * max(len(students), 1) + 0.9)
    figure, grid = draw.new_figure(rows, len(LEVELS), size, sharex=True, sharey=True)
    for student, panels in zip(students, grid, strict=False):
        for axes, (level, title) in zip(panels, LEVELS.items(), strict=True):
            _draw_cloud(axes, result, student, level)
            axes.set_title(title if student == students[0] else "")
    _set_decades(result, students, grid)
    figure.supxlabel("Mutual information, the teacher's", fontsize=10, color=INK)
    figure.supylabel("Mutual information, in nats", fontsize=10, color=INK)
    _add_legend(figure, students)
    return figure


def _add_legend(figure: Figure, students: list[str]) -> None:
    """Dots that can be seen, unlike those of the clouds."""
    shown = [REFERENCE, *(METHODS[name] for name in students)]
    style: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": 6}
    handles = [Line2D([], [], color=method.color, label=method.label, **style) for method in shown]
    handles.append(Line2D([], [], color=INK, linewidth=1, linestyle=":", label="equal"))
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), fontsize=10, frameon=False)


def _draw_cloud(axes: Axes, result: Result, student: str, level: str) -> None:
    style: dict[str, Any] = {"s": 4, "linewidth": 0, "alpha": 0.35}
    teacher = result.curves.get(f"{TEACHER}/epistemic/{level}")
    for name, shown in ((OTHER, REFERENCE), (student, METHODS[student])):
        found = result.curves.get(f"{name}/epistemic/{level}")
        if teacher is not None and found is not None:
            axes.scatter(teacher, found, color=shown.color, **style)
    axes.axline((1, 1), slope=1, color=INK, linewidth=1, linestyle=":")


def _set_decades(result: Result, students: list[str], grid: draw.Array) -> None:
    """The same range in every panel: all but the smallest percent of what is drawn."""
    names = [TEACHER, OTHER, *students]
    keys = (f"{name}/epistemic/{level}" for name in names for level in LEVELS)
    found = [result.curves[key] for key in keys if key in result.curves]
    drawn = np.concatenate(found or [np.ones(1)])
    limits = np.quantile(drawn[drawn > 0], [0.01, 1]) * [0.7, 1.4]
    for axes in grid.flat:
        axes.set(xscale="log", yscale="log", xlim=limits, ylim=limits)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(numticks=5))
            axis.set_minor_formatter(NullFormatter())


def fidelity_figure(scores: Scores) -> Figure:
    """Order and size of the epistemic uncertainty against the teacher's, over severities."""
    figure, (panels,) = draw.new_figure(1, 2, (10, 4))
    for axes, (metric, label) in zip(panels, FIDELITY.items(), strict=True):
        _draw_lines(axes, scores, TEACHER, f"{metric}_reference", REFERENCE)
        for name in SPLIT:
            _draw_lines(axes, scores, name, metric, METHODS[name])
        axes.set_xticks([*scores.sets], ["clean" if severity == 0 else str(severity) for severity in scores.sets])
        axes.set_xlabel("Severity of the corruption", color=INK)
        axes.set_ylabel(label, color=INK)
    panels[1].axhline(1, color=INK, linewidth=1, linestyle=":", label="equal")
    draw.shared_legend(figure, panels)
    return figure


def _draw_lines(axes: Axes, scores: Scores, model: str, metric: str, method: Method) -> None:
    """Medians over the corruptions, with the quartiles around them."""
    there = [severity for severity in scores.sets if len(scores.by_set(model, metric, severity))]
    if not there:
        return
    low, middle, high = np.array([scores.quartiles(model, metric, severity) for severity in there]).T
    axes.fill_between(there, low, high, color=method.color, alpha=0.12, linewidth=0)
    style: dict[str, Any] = {"linestyle": "--" if method is REFERENCE else "-", "linewidth": 1.8}
    axes.plot(there, middle, color=method.color, marker="o", markersize=4, label=method.label, **style)
