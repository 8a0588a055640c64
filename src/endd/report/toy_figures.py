"""The figures of the toy study."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from endd.report import figures as draw
from endd.report.figures import BLUE, GREEN, GREY, INK, ORANGE, PINK
from endd.studies.result import Result
from endd.studies.statistics import Estimate

#: AUSE read from the printed curves of the paper's Figure 2, which have ten points.
PAPER_AUSE10 = {"ensemble": 0.155, "distilled": 0.163, "mixture": 0.186}
COLUMNS = {"ensemble": "Ensemble of {members}", "distilled": "Distribution-distilled", "mixture": "Mixture-distilled"}
SWEPT = {
    "kl_teacher": "KL from the ensemble's predictive",
    "nll": "NLL minus the ensemble's",
    "epistemic_spearman": "Order of epistemic (Spearman)",
    "epistemic_ratio": "Size of epistemic (ratio)",
}
WEIGHT = "distilled_weight_"


def bands_figure(result: Result) -> Figure:
    """Figure 2: a column a model, bands above and sparsification below."""
    figure, grid = draw.new_figure(2, 3, (11, 6.8), sharex="row", sharey="row")
    for (name, title), top, bottom in zip(COLUMNS.items(), *grid, strict=True):
        top.set_title(title.format(**result.config), color=INK)
        _draw_prediction(top, result, name)
        _draw_sparsification(bottom, result, name)
    grid[0, 0].set_ylabel("y")
    grid[1, 0].set_ylabel("Error that remains, relative")
    draw.shared_legend(figure, grid.flat)
    return figure


def _draw_prediction(axes: Axes, result: Result, name: str) -> None:
    curves = result.curves
    x, mean = curves["x"], curves[f"{name}_mean"]
    aleatoric, epistemic = curves[f"{name}_aleatoric"], curves[f"{name}_epistemic"]
    if name == "mixture":
        draw.draw_band(axes, x, mean, aleatoric + epistemic, color=GREEN, alpha=0.3, label="total")
    else:
        draw.draw_band(axes, x, mean, aleatoric, color=BLUE, alpha=0.3, label="aleatoric")
        draw.draw_band(axes, x, mean, aleatoric + epistemic, aleatoric, color=ORANGE, alpha=0.45, label="epistemic")
    axes.scatter(curves["train_x"], curves["train_y"], s=5, color=GREY, alpha=0.6, linewidth=0, label="data")
    axes.plot(x, curves["true_mean"], color=INK, linewidth=1, linestyle=":", label="sin x")
    axes.plot(x, mean, color=INK, linewidth=1.8, label="mean")
    axes.set(xlim=(-5, 5), ylim=(-3, 3), xlabel="x")


def _draw_sparsification(axes: Axes, result: Result, name: str) -> None:
    curves = result.curves
    draw.draw_curves(axes, curves["fraction"], curves[f"{name}_oracle"], GREY, "oracle", linestyle="--")
    draw.draw_curves(axes, curves["fraction"], curves[f"{name}_sparsification"], PINK, "by total uncertainty")
    area = result.estimate(name, "ause10")
    assert area is not None
    axes.set(xlim=(0, 1), ylim=(0, 1.1), xlabel="Fraction of points removed")
    paper = f"\npaper {PAPER_AUSE10[name]:.3f}" if name in PAPER_AUSE10 else ""
    axes.text(0.95, 0.95, f"AUSE {area.mean:.3f}{paper}", transform=axes.transAxes, ha="right", va="top", color=INK)


def plane_figure(result: Result) -> Figure:
    """Figure 1: the members' z and the student's density, a panel a place x."""
    curves = result.curves
    figure, grid = draw.new_figure(1, len(curves["places"]), (10, 4.9))
    for number, (axes, place) in enumerate(zip(grid[0], curves["places"], strict=True)):
        draw.draw_normal(
            axes, curves["distilled_loc"][number], curves["distilled_covariance"][number], BLUE, "student's density"
        )
        members = curves["members_z"][:, number]
        axes.scatter(*members.T, s=34, color=ORANGE, edgecolor=INK, linewidth=0.7, zorder=3, label="members")
        axes.scatter(*curves["mixture_z"][number], s=70, marker="X", color=GREEN, zorder=4, label="mixture student")
        axes.scatter(*curves["true_z"][number], s=110, marker="*", color=INK, zorder=4, label="truth")
        where = "inside the data" if abs(place) <= 3 else "outside the data"
        axes.set_title(f"x = {place:g}, {where}\nthe members' means spread by {members[:, 0].std():.2g}", color=INK)
        axes.set(xlabel="$z_1$, the mean")
        axes.margins(0.08)
        axes.locator_params(axis="x", nbins=6)
    grid[0, 0].set_ylabel("$z_2$, the variance before softplus")
    draw.shared_legend(figure, grid.flat)
    return figure


def sweep_figure(result: Result) -> Figure:
    """Scores of the students of every weight, beside those of an independent ensemble."""
    names = [model for model in result.models() if model.startswith(WEIGHT)]
    weights = np.array([float(name.removeprefix(WEIGHT)) for name in names])
    figure, grid = draw.new_figure(2, 2, (9, 6.6), sharex=True)
    for axes, (metric, title) in zip(grid.flat, SWEPT.items(), strict=True):
        found = [_swept(result, name, metric) for name in (*names, "reference")]
        draw.draw_level(axes, found[-1], GREY, "another ensemble on the same data")
        draw.draw_estimates(axes, weights, found[:-1], BLUE, label="students, with 95 % intervals")
        draw.show_means(axes, found, log=metric == "kl_teacher")
        axes.set_title(title, color=INK)
        axes.set(xticks=weights)
    for axes in grid[-1]:
        axes.set_xlabel("Weight of the mean prediction")
    draw.shared_legend(figure, grid.flat)
    return figure


def _swept(result: Result, model: str, metric: str) -> Estimate:
    """The score; for the NLL, which depends on the seed's data more than on the model, its paired difference."""
    paired = metric == "nll"
    value = result.difference(model, "ensemble", metric) if paired else result.estimate(model, metric)
    assert value is not None
    return value
