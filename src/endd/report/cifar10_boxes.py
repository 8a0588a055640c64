"""The paper's Figure 3: how every method's scores spread over the corruptions, severity by severity."""

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from endd.report import figures as draw
from endd.report.cifar10_methods import FIGURE3, Method, present
from endd.report.cifar10_scores import Scores
from endd.report.figures import INK

AXIS = {
    "accuracy": "Accuracy",
    "ece_quartile": "ECE, 4 bins",
    "ece": "ECE, 15 bins",
    "nll": "NLL",
    "brier": "Brier score",
}
# The part of a severity's place that its boxes take, and the part of a box's place that it fills.
GROUP, BOX = 0.86, 0.78
# Letters of a line of the legend, and those that a patch of colour takes.
LINE, PATCH = 158, 7


def boxes_figure(scores: Scores, metrics: tuple[str, ...], among: Iterable[str] = FIGURE3) -> Figure:
    """A panel a metric: minimum, quartiles and maximum over the corruptions, of means over repeats."""
    figure, grid = draw.new_figure(len(metrics), 1, (11, 3.3 * len(metrics) + 0.6), sharex=True)
    methods = present(scores.models, among)
    for metric, axes in zip(metrics, grid[:, 0], strict=True):
        _draw_boxes(axes, scores, metric, methods)
        axes.set_ylabel(AXIS[metric], color=INK)
    grid[-1, 0].set_xlabel("Severity of the corruption", color=INK)
    handles = [Patch(facecolor=method.color, label=method.label) for method in methods.values()]
    columns = columns_of([method.label for method in methods.values()])
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, fontsize=9, frameon=False)
    return figure


def columns_of(labels: list[str]) -> int:
    """In how many columns labels fit into lines: as many as make two lines, or else fewer.

    >>> columns_of(["ensemble", "Hydra", "distilled"])
    2
    """
    for columns in range(-(-len(labels) // 2), 1, -1):
        parts = np.array_split(labels, columns)  # the first ones hold one more, as those of a legend do
        if sum(max(map(len, part)) + PATCH for part in parts) <= LINE:
            return columns
    return 1


def _draw_boxes(axes: Axes, scores: Scores, metric: str, methods: dict[str, Method]) -> None:
    step = GROUP / max(len(methods), 1)
    for place, (name, method) in enumerate(methods.items()):
        shift = (place + 0.5) * step - GROUP / 2
        for severity in scores.sets:
            found = scores.by_set(name, metric, severity)
            if len(found) == 1:
                axes.plot(severity + shift, found[0], color=method.color, marker="D", markersize=5)
            elif len(found):
                _draw_box(axes, severity + shift, found, BOX * step, method.color)
    for edge in np.arange(0.5, max(scores.sets, default=0)):
        axes.axvline(edge, color="#c3c8ce", linewidth=0.8)
    axes.grid(visible=False, axis="x")
    axes.set_xlim(-0.5, max(scores.sets, default=0) + 0.5)
    axes.set_xticks([*scores.sets], ["clean" if severity == 0 else str(severity) for severity in scores.sets])


def _draw_box(axes: Axes, x: float, values: draw.Array, width: float, color: str) -> None:
    """Whiskers reach the least and the largest value, as in the paper."""
    lines = {"color": color, "linewidth": 1.1}
    axes.boxplot(
        values,
        positions=[x],
        widths=width,
        whis=(0, 100),
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": color, "edgecolor": color, "linewidth": 0.8},
        medianprops={"color": "white", "linewidth": 1.6},
        whiskerprops=lines,
        capprops=lines,
    )
