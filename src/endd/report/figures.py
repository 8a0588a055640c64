"""Pieces of figures that studies share: colours, bands, curves, densities, intervals.

Figures are made through matplotlib's objects, never through pyplot, so that nothing global changes.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from numpy.typing import NDArray

from endd.studies.statistics import Estimate

Array = NDArray[Any]
DPI = 160
# Okabe and Ito's colours, told apart by everybody.
INK, GREY, BLUE, ORANGE, GREEN, PINK = "#1b1f24", "#8a929c", "#0072b2", "#e69f00", "#009e73", "#cc79a7"


def new_figure(rows: int, columns: int, size: tuple[float, float], **options: Any) -> tuple[Figure, NDArray[Any]]:
    """A figure and its axes (rows, columns), in the style of all reports."""
    figure = Figure(figsize=size, layout="constrained", facecolor="white")
    grid: NDArray[Any] = figure.subplots(rows, columns, squeeze=False, **options)
    for axes in grid.flat:
        dress(axes)
    return figure, grid


def dress(axes: Axes) -> None:
    """The style of all reports."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=INK, color=GREY, labelsize=9)
    axes.grid(color="#e6e8eb", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.title.set_fontsize(11)


def shared_legend(figure: Figure, panels: Iterable[Axes], columns: int | None = None, title: str | None = None) -> None:
    """One legend above all panels, each label once; in one row, or in so many columns. title: what they share."""
    found = {label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    style: dict[str, Any] = {"ncols": columns or len(found), "fontsize": 9, "frameon": False, "markerscale": 1.3}
    style |= {"title": title, "title_fontsize": 9}
    figure.legend([*found.values()], [*found], loc="outside upper center", **style)


def draw_band(axes: Axes, x: Array, mean: Array, variance: Array, inner: Array | None = None, **style: Any) -> None:
    """mean +- 2 sqrt(variance), all (G,); with an `inner` variance only what lies outside of that band."""
    outside = 2 * np.sqrt(variance)
    if inner is None:
        axes.fill_between(x, mean - outside, mean + outside, linewidth=0, **style)
        return
    inside = 2 * np.sqrt(inner)
    axes.fill_between(x, mean + inside, mean + outside, linewidth=0, **style)
    axes.fill_between(x, mean - outside, mean - inside, linewidth=0, **(style | {"label": "_nolegend_"}))


def draw_curves(axes: Axes, x: Array, curves: Array, color: str, label: str, **style: Any) -> None:
    """The mean of curves (seeds, T) over x (T,), and the range of the seeds around it."""
    if len(curves) > 1:
        axes.fill_between(x, curves.min(0), curves.max(0), color=color, alpha=0.15, linewidth=0)
    axes.plot(x, curves.mean(0), color=color, label=label, linewidth=1.8, **style)


def draw_normal(axes: Axes, loc: Array, covariance: Array, color: str, label: str) -> None:
    """A two-dimensional normal as ellipses at 1, 2 and 3 standard deviations."""
    variances, directions = np.linalg.eigh(covariance)
    angle = float(np.degrees(np.arctan2(directions[1, 1], directions[0, 1])))
    width, height = 2 * np.sqrt(variances[::-1])
    for deviations in (3, 2, 1):
        shape = Ellipse((loc[0], loc[1]), deviations * width, deviations * height, angle=angle)
        shape.set(facecolor=color, edgecolor=color, alpha=0.22, linewidth=1)
        if deviations == 1:
            shape.set_label(label)
        axes.add_patch(shape)


def draw_estimates(axes: Axes, x: Array, estimates: list[Estimate], color: str, **style: Any) -> None:
    """Means with their intervals as bars."""
    means = np.array([value.mean for value in estimates])
    halves = np.nan_to_num([value.half_width for value in estimates])
    axes.errorbar(x, means, halves, color=color, marker="o", markersize=5, capsize=3, linewidth=1.5, **style)


def draw_level(axes: Axes, value: Estimate, color: str, label: str) -> None:
    """A horizontal line with its interval."""
    axes.axhline(value.mean, color=color, linestyle="--", linewidth=1.3, label=label)
    if value.count > 1:
        low, high = value.mean - value.half_width, value.mean + value.half_width
        axes.axhspan(low, high, color=color, alpha=0.12, linewidth=0)


def show_means(axes: Axes, estimates: list[Estimate], *, log: bool = False) -> None:
    """Limits that hold all means with room around them; an interval that is far wider is cut."""
    means = np.array([value.mean for value in estimates])
    if log:
        axes.set_yscale("log")
        axes.set_ylim(means.min() / 2, means.max() * 2)
        return
    room = 0.35 * max(float(np.ptp(means)), 0.05 * float(np.abs(means).max()), 1e-6)
    axes.set_ylim(means.min() - room, means.max() + room)
