"""The figure of the frontier: scores against costs, families of models joined by lines, what to deploy marked."""

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from endd.report import figures as draw
from endd.report.cifar10_methods import METHODS, REFERENCE
from endd.report.figures import INK
from endd.report.frontier_front import CLEAN, FAMILIES, Choice, Spot, family, ordered, spots, to_deploy
from endd.studies.result import Result


class Style(NamedTuple):
    """What a legend says, the colour, and where in points from a spot its size stands: apart from other families'."""

    label: str
    color: str
    label_at: tuple[int, int] = (0, 0)


STYLES = {
    "single": Style("single network", METHODS["single"].color, (6, 6)),
    "student": Style("student", METHODS["distilled"].color, (-10, -14)),
    "dense": Style("dense student", METHODS["distilled_dense"].color, (-10, -14)),
    "hydra": Style("Hydra", METHODS["hydra"].color),
    "ensemble": Style("ensemble", METHODS["ensemble"].color, (6, -14)),
}
LOOP = Style("ensemble, one after another", METHODS["ensemble"].color)
SCORES = {
    "accuracy": "Accuracy",
    "nll": "NLL",
    "kl_teacher": "KL from the teacher",
    "epistemic_spearman": "Epistemic rank correlation",
}
# Left and right of all spots, as a factor.
ROOM = 1.35
COST = "multiply_adds"
COSTS = {COST: "Multiply-adds an image", "parameters": "Parameters"}


def frontier_figure(result: Result) -> Figure:
    """How good and how faithful against multiply-adds and parameters, and NLL against the time that an image takes."""
    times = [f"ms_a_row@{rows}" for rows in result.config["batches"]]
    first, second, third, fourth = ((COST, score) for score in SCORES)
    above = [first, second, ("parameters", "nll"), (times[0], "nll")]
    wanted = [*above, third, fourth, ("parameters", "kl_teacher"), (times[-1], "nll")]
    figure, grid = draw.new_figure(2, 4, (13.4, 5.4))
    for axes, (cost, metric) in zip(grid.flat, wanted, strict=True):
        _panel(axes, result, cost, metric)
        _another_ensemble(axes, result, metric)
        loop = spots(result, cost.replace("ms_a_row", "ms_a_row_loop"), metric) if cost in times else []
        if loop:
            _line(axes, loop, LOOP, linestyle=":", marker="s", markersize=3)
        axes.set_ylabel(SCORES[metric], color=INK)
        axes.set_xlabel(_named(cost), color=INK)
    draw.shared_legend(figure, grid.flat, columns=4)
    return figure


def _named(cost: str) -> str:
    rows = cost.partition("@")[2]
    return f"Milliseconds an image, {rows} at once" if rows else COSTS[cost]


def _panel(axes: Axes, result: Result, cost: str, metric: str) -> None:
    found = spots(result, cost, metric)
    for name in FAMILIES:
        members = [spot for spot in found if family(spot.model) == name]
        if members:
            _line(axes, members, STYLES[name])
            for spot in members:
                _label(axes, spot)
    axes.set_xscale("log")
    if found:
        _mark(axes, found, to_deploy(result, cost), "to deploy for its cost", 120, "solid")
        _mark(axes, found, to_deploy(result, cost, split=True), "the same, with both uncertainties", 230, "dotted")
        draw.show_means(axes, [spot.score for spot in found])
        prices = [spot.cost for spot in found]
        axes.set_xlim(min(prices) / ROOM, max(prices) * ROOM)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(lambda value, _: short(value))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _line(axes: Axes, found: list[Spot], style: Style, **more: Any) -> None:
    means = np.array([[spot.cost, spot.score.mean] for spot in found])
    halves = np.nan_to_num([spot.score.half_width for spot in found])
    look: dict[str, Any] = {"marker": "o", "markersize": 5, "capsize": 2, "linewidth": 1.5, "elinewidth": 1}
    axes.errorbar(means[:, 0], means[:, 1], halves, color=style.color, label=style.label, **look | more)


def _label(axes: Axes, spot: Spot) -> None:
    """How wide a network is, or how many members there are."""
    name, style = spot.model.partition("_")[2], STYLES[family(spot.model)]
    place = (spot.cost, spot.score.mean)
    axes.annotate(name, place, style.label_at, textcoords="offset points", fontsize=8, color=style.color)


def _mark(axes: Axes, found: list[Spot], chosen: list[Choice], label: str, area: float, line: str) -> None:
    """Rings around what to deploy for a budget."""
    ringed = [spot for spot in found if spot.model in {choice.model for choice in chosen}]
    x, y = [spot.cost for spot in ringed], [spot.score.mean for spot in ringed]
    look: dict[str, Any] = {"facecolors": "none", "edgecolors": INK, "linewidths": 1, "linestyles": line}
    axes.scatter(x, y, area, zorder=3, label=label, **look)


def _another_ensemble(axes: Axes, result: Result, metric: str) -> None:
    """What an independent draw of the teacher reaches; it stands in the teacher's row."""
    teacher = ordered(result.models())[-1]
    name = {"kl_teacher": "kl_reference"}.get(metric, f"{metric}_reference")
    value = result.estimate(teacher, name, CLEAN)
    if value is not None:
        draw.draw_level(axes, value, REFERENCE.color, REFERENCE.label)


def short(value: float) -> str:
    """A number as a tick says it.

    >>> short(41e6), short(500e3), short(0.02)
    ('41 M', '0.5 M', '0.02')
    """
    return f"{value / 1e6:g} M" if value >= 1e5 else f"{value:g}"
