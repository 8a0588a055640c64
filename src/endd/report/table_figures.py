"""The figures of a fitted table."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from endd.report import figures as draw
from endd.report.figures import BLUE, GREEN, GREY, INK, ORANGE
from endd.studies.result import Result

MODELS = {"ensemble": ORANGE, "distilled": BLUE}
PARTS = {"aleatoric": "noise", "epistemic": "ignorance"}
GROUPS = ("right", "wrong")
# Bars that are still told apart; bins of a running median; classes whose names and counts can be read.
BARS, BINS, CLASSES = 150, 12, 20


def predictions_figure(result: Result) -> Figure:
    """Predicted against true, with two standard deviations of noise and of ignorance, a panel each."""
    y, mean = result.curves["y"], result.curves["mean"]
    figure, (panels,) = draw.new_figure(1, 2, (9.5, 4.4), sharex=True, sharey=True)
    some = np.linspace(0, len(y) - 1, min(BARS, len(y))).astype(int)
    limits = [float(min(y.min(), mean.min())), float(max(y.max(), mean.max()))]
    for axes, part, label, color in zip(panels, PARTS, PARTS.values(), (BLUE, ORANGE), strict=True):
        bars = 2 * np.sqrt(result.curves[part][some])
        axes.errorbar(y[some], mean[some], bars, color=color, linewidth=1.4, linestyle="none", alpha=0.8, label=label)
        axes.scatter(y, mean, s=6, color=INK, linewidth=0, alpha=0.6, zorder=3, label="mean")
        axes.plot(limits, limits, color=GREY, linewidth=1, linestyle=":", label="equal")
        axes.set_xlabel(f"True {result.config['target']}")
    panels[0].set_ylabel("Predicted")
    draw.shared_legend(figure, panels)
    return figure


def classes_figure(result: Result) -> Figure:
    """True against predicted classes; mean uncertainties of right and wrong predictions."""
    figure, ((left, right),) = draw.new_figure(1, 2, (9, 4.2))
    _draw_confusion(left, result.curves["confusion"], [str(name) for name in result.config["classes"]])
    left.set(xlabel="Predicted", ylabel=f"True {result.config['target']}")
    counts, *parts = result.curves["groups"].T
    bottom = np.zeros(2)
    for heights, label, color in zip(parts, PARTS.values(), (BLUE, ORANGE), strict=True):
        right.bar(range(2), heights, bottom=bottom, color=color, label=label)
        bottom += heights
    right.set_xticks(range(2), [f"{name}\n{count:.0f} rows" for name, count in zip(GROUPS, counts, strict=True)])
    right.set_ylabel("Mean entropy in nats")
    draw.shared_legend(figure, [right])
    return figure


def _draw_confusion(axes: Axes, counts: draw.Array, names: list[str]) -> None:
    axes.grid(visible=False)
    axes.imshow(counts, cmap="Blues")
    if len(names) > CLASSES:
        return
    for true, guess in np.ndindex(counts.shape):
        dark = counts[true, guess] > counts.max() / 2
        axes.text(guess, true, str(counts[true, guess]), ha="center", va="center", color="white" if dark else INK)
    axes.set_xticks(range(len(names)), names, rotation=90 if max(map(len, names)) > 3 else 0)
    axes.set_yticks(range(len(names)), names)


def coverage_figure(result: Result) -> Figure:
    """The share of targets inside central intervals against their level."""
    figure, ((axes,),) = draw.new_figure(1, 1, (5, 4.2))
    axes.plot([0, 1], [0, 1], color=INK, linewidth=1, linestyle=":", label="calibrated")
    for name, color in _drawn(result, "coverage"):
        axes.plot(result.curves["levels"], result.curves[f"{name}_coverage"], color=color, linewidth=1.8, label=name)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="Level of the interval", ylabel="Share of targets inside")
    draw.shared_legend(figure, [axes])
    return figure


def reliability_figure(result: Result) -> Figure:
    """How often the most probable class was right against how probable it was."""
    figure, ((axes,),) = draw.new_figure(1, 1, (5, 4.2))
    axes.plot([0, 1], [0, 1], color=INK, linewidth=1, linestyle=":", label="calibrated")
    for name, color in _drawn(result, "confidence"):
        count, confidence, accuracy = (result.curves[f"{name}_{key}"] for key in ("count", "confidence", "accuracy"))
        there = count > 0
        sizes = 8 + 60 * count[there] / count.max()
        axes.plot(confidence[there], accuracy[there], color=color, linewidth=1.5)
        axes.scatter(confidence[there], accuracy[there], s=sizes, color=color, linewidth=0, label=name)
    axes.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="Confidence", ylabel="Share that was right")
    draw.shared_legend(figure, [axes])
    return figure


def sparsification_figure(result: Result) -> Figure:
    """Error that remains once the most uncertain part is gone."""
    figure, ((axes,),) = draw.new_figure(1, 1, (5, 4.2))
    fraction = result.curves["fraction"]
    for name, color in _drawn(result, "sparsification"):
        axes.plot(fraction, result.curves[f"{name}_sparsification"], color=color, linewidth=1.8, label=name)
    axes.plot(fraction, result.curves["distilled_oracle"], color=GREY, linestyle="--", label="the student's oracle")
    axes.set(xlim=(0, 1), ylim=(0, None), xlabel="Fraction removed", ylabel="Error that remains, relative")
    draw.shared_legend(figure, [axes])
    return figure


def distance_figure(result: Result) -> Figure:
    """The epistemic part against the distance to the nearest row of training."""
    distance, epistemic = result.curves["distance"], result.curves["distance_epistemic"]
    figure, ((axes,),) = draw.new_figure(1, 1, (5, 4.2))
    axes.scatter(distance, epistemic, s=8, color=BLUE, linewidth=0, alpha=0.5, label="a test row")
    order = np.argsort(distance, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    middle = [(np.median(distance[part]), np.median(epistemic[part])) for part in parts]
    axes.plot(*zip(*middle, strict=True), color=GREEN, linewidth=1.8, label="median")
    if epistemic.min() > 0:
        axes.set_yscale("log")
    unit = "variance" if result.config["task"] == "regression" else "entropy in nats"
    axes.set(xlabel="Distance to the nearest row of training", ylabel=f"Epistemic {unit}")
    draw.shared_legend(figure, [axes])
    return figure


def _drawn(result: Result, key: str) -> list[tuple[str, str]]:
    """The models of which there is a curve, with their colours."""
    return [(name, color) for name, color in MODELS.items() if f"{name}_{key}" in result.curves]
