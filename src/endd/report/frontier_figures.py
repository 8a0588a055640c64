"""The figure of the frontier: every score against every cost, and above each cost what to deploy for a budget of it."""

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from endd.report import figures as draw
from endd.report.cifar10_methods import METHODS, REFERENCE
from endd.report.figures import INK
from endd.report.frontier_front import CLEAN, FAMILIES, Spot, family, ordered, spots, to_deploy
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
    "hydra": Style("Hydra (H)", METHODS["hydra"].color, (6, 0)),
    "ensemble": Style("ensemble", METHODS["ensemble"].color, (6, -14)),
}
LOOP = Style("ensemble, one after another", METHODS["ensemble"].color)
SCORES = {
    "nll": "NLL",
    "accuracy": "Accuracy",
    "kl_teacher": "KL from the teacher",
    "epistemic_spearman": "Epistemic rank correlation",
}
# Left and right of all spots, as a factor.
ROOM = 1.35
COSTS = {"multiply_adds": "Multiply-adds an image", "parameters": "Parameters"}
#: What is deployed for a budget, by whether it has to tell both kinds of uncertainty apart: above a column of panels,
#: as parts of a panel's height.
STRIPS = {False: ("to deploy, by NLL", 1.16), True: ("with both uncertainties", 1.04)}
STRIP_HEIGHT = 0.1
# Of a panel: a narrower piece of a strip has no room for a number.
WORTH_NAMING = 0.035


def frontier_figure(result: Result) -> Figure:
    """How good and how faithful for what a model costs: a column for each kind of cost, a row for each score."""
    costs = [*COSTS, *(f"ms_a_row@{rows}" for rows in result.config["batches"])]
    figure, grid = draw.new_figure(len(SCORES), len(costs), (13.4, 10.4), sharex="col", sharey="row")
    for row, metric in zip(grid, SCORES, strict=True):
        for axes, cost in zip(row, costs, strict=True):
            _panel(axes, result, cost, metric)
        row[0].set_ylabel(SCORES[metric], color=INK)
    for axes, cost in zip(grid[0], costs, strict=True):
        for split, (_, height) in STRIPS.items():
            _strip(axes, result, cost, split, height)
    for name, height in STRIPS.values():
        look: dict[str, Any] = {"ha": "right", "va": "center", "fontsize": 8, "color": INK}
        grid[0, 0].text(-0.03, height + STRIP_HEIGHT / 2, name, transform=grid[0, 0].transAxes, **look)
    for axes, cost in zip(grid[-1], costs, strict=True):
        axes.set_xlabel(_named(cost), color=INK)
    draw.shared_legend(figure, grid.flat, title="Numbers: the width of a network, the members of an ensemble")
    return figure


def _named(cost: str) -> str:
    rows = cost.partition("@")[2]
    return f"Milliseconds an image, {rows} at once" if rows else COSTS[cost]


def _panel(axes: Axes, result: Result, cost: str, metric: str) -> None:
    log = metric == "kl_teacher"
    # the teacher is no distance from itself: it has no place on a logarithmic axis
    found = [spot for spot in spots(result, cost, metric) if spot.score.mean > 0 or not log]
    for name in FAMILIES:
        members = [spot for spot in found if family(spot.model) == name]
        if members:
            _line(axes, members, STYLES[name])
            for spot in members:
                _label(axes, spot)
    loop = spots(result, cost.replace("ms_a_row", "ms_a_row_loop"), metric) if cost not in COSTS else []
    loop = [spot for spot in loop if spot.score.mean > 0 or not log]
    if loop:
        _line(axes, loop, LOOP, linestyle=":", marker="s", markersize=3)
    axes.set_xscale("log")
    _another_ensemble(axes, result, metric)
    if found:
        draw.show_means(axes, [spot.score for spot in found], log=log)
        prices = [spot.cost for spot in (*spots(result, cost, "nll"), *loop)]
        axes.set_xlim(min(prices) / ROOM, max(prices) * ROOM)
    for axis in (axes.xaxis, axes.yaxis) if log else (axes.xaxis,):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(lambda value, _: short(value))
        axis.set_minor_formatter(NullFormatter())


def _strip(axes: Axes, result: Result, cost: str, split: bool, height: float) -> None:
    """What to deploy, from budget to budget, in the colours of the families."""
    chosen = to_deploy(result, cost, split)
    if not chosen:
        return
    low, high = axes.get_xlim()
    ends = [*(choice.budget for choice in chosen), high]
    pieces = [(start, end - start) for start, end in pairwise(ends)]
    above = axes.get_xaxis_transform()
    colors = [STYLES[family(choice.model)].color for choice in chosen]
    look: dict[str, Any] = {"facecolors": colors, "edgecolors": "white", "clip_on": False, "transform": above}
    axes.broken_barh(pieces, (height, STRIP_HEIGHT), gid=f"deploy-{cost}-{'split' if split else 'any'}", **look)
    for choice, (start, end) in zip(chosen, pairwise(ends), strict=True):
        if math.log(end / start) > WORTH_NAMING * math.log(high / low):
            where = math.sqrt(start * end), height + STRIP_HEIGHT / 2
            bold: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8, "color": "white", "weight": "bold"}
            axes.text(*where, _size(choice.model), transform=above, **bold)


def _line(axes: Axes, found: list[Spot], style: Style, **more: Any) -> None:
    means = np.array([[spot.cost, spot.score.mean] for spot in found])
    halves = np.nan_to_num([spot.score.half_width for spot in found])
    look: dict[str, Any] = {"marker": "o", "markersize": 5, "capsize": 2, "linewidth": 1.5, "elinewidth": 1}
    axes.errorbar(means[:, 0], means[:, 1], halves, color=style.color, label=style.label, **look | more)


def _label(axes: Axes, spot: Spot) -> None:
    style = STYLES[family(spot.model)]
    place = (spot.cost, spot.score.mean)
    axes.annotate(_size(spot.model), place, style.label_at, textcoords="offset points", fontsize=8, color=style.color)


def _size(model: str) -> str:
    """How wide a network is, or how many members there are; the letter of Hydra, which has one size."""
    return model.partition("_")[2] or model[0].upper()


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
    return f"{value / 1e6:g} M" if value >= 1e4 else f"{value:g}"
