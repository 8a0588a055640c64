"""The cost-risk curve of a cascade: what it gains by asking the ensemble about more rows."""

from collections.abc import Mapping

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from endd.report.figures import BLUE, GREEN, GREY, ORANGE, Array, new_figure, shared_legend


def cost_risk_figure(
    curves: Mapping[str, tuple[Array, Array]],
    loss: str,
    singles: Mapping[str, float] | None = None,
    mark: float | None = None,
) -> Figure:
    """A panel for every named curve (cost, risk): from the student alone on the left to the ensemble on the right.

    loss: what the risk is the mean of. singles: the risk of a single network by name, if known. mark: a cost to be
    marked by a vertical line.

    >>> import numpy as np
    >>> figure = cost_risk_figure({"toy": (np.array([0.0, 0.5, 1.0]), np.array([1.0, 0.6, 0.5]))}, "nll")
    >>> figure.axes[0].get_ylabel()
    'mean nll'
    """
    figure, grid = new_figure(1, len(curves), (3.6 * len(curves) + 0.4, 3.4))
    for axes, (name, (cost, risk)) in zip(grid.flat, curves.items(), strict=True):
        axes.plot(cost, risk, color=BLUE, linewidth=1.8, label="cascade")
        axes.plot(cost[:1], risk[:1], "o", color=GREEN, label="student alone")
        axes.plot(cost[-1:], risk[-1:], "s", color=ORANGE, label="ensemble alone")
        if singles is not None:
            axes.axhline(singles[name], color=GREY, linestyle="--", linewidth=1.3, label="single network")
        if mark is not None:
            axes.axvline(mark, color=GREY, linewidth=1, linestyle=":")
        axes.set(title=name, xlabel="rows asked about")
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    grid[0, 0].set_ylabel(f"mean {loss}")
    shared_legend(figure, grid.flat)
    return figure
