"""The figures of the CIFAR-10 study about what its uncertainty is good for: rejection and detection."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from endd.report import figures as draw
from endd.report.cifar10_methods import LEVELS, present
from endd.report.cifar10_scores import SVHN, Scores, over_repeats
from endd.report.figures import INK
from endd.studies.result import Result

PARTS = ("total", "aleatoric", "epistemic")


def risk_figure(result: Result) -> Figure:
    """The error rate of what is kept, against how much is kept, a panel a severity."""
    figure, grid = draw.new_figure(2, 3, (11, 6.6), sharex=True)
    for axes, (level, title) in zip(grid.flat, LEVELS.items(), strict=True):
        for name, method in present(result.models()).items():
            if (key := f"{name}/risk/{level}") in result.curves:
                means = result.curves[key].mean(0)
                axes.plot(result.curves["coverage"], means, color=method.color, linewidth=1.5, label=method.label)
        axes.set(xlim=(0, 1), ylim=(0, None), title=title)
    figure.supxlabel("Share of images kept, the least uncertain first", fontsize=10, color=INK)
    figure.supylabel("Error rate among them", fontsize=10, color=INK)
    draw.shared_legend(figure, grid.flat, columns=5)
    return figure


def detection_figure(result: Result, scores: Scores) -> Figure:
    """SVHN against CIFAR-10: ROC curves of each uncertainty, and the areas under them."""
    figure = Figure(figsize=(11, 7.4), layout="constrained", facecolor="white")
    parts: draw.Array = np.asarray(figure.subfigures(2, 1, height_ratios=(1.15, 1)))
    panels, bars = parts[0].subplots(1, 3, sharey=True), parts[1].subplots()
    for axes, part in zip(panels, PARTS, strict=True):
        draw.dress(axes)
        _draw_roc(axes, result, part)
    panels[0].set_ylabel("SVHN images found", color=INK)
    draw.dress(bars)
    _draw_areas(bars, scores)
    draw.shared_legend(figure, panels, columns=5)
    return figure


def _draw_roc(axes: Axes, result: Result, part: str) -> None:
    axes.plot([0, 1], [0, 1], color=INK, linewidth=1, linestyle=":", label="chance")
    for name, method in present(result.models()).items():
        if (key := f"{name}/roc/{part}") in result.curves:
            rate = result.curves[key].mean(0)
            axes.plot(result.curves["fpr"], rate, color=method.color, linewidth=1.5, label=method.label)
    axes.set(xlim=(0, 1), ylim=(0, 1.01), title=f"By the {part} uncertainty")
    # short enough that the last of one panel and the first of the next stay apart
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("CIFAR-10 images taken for SVHN", color=INK)


def _draw_areas(axes: Axes, scores: Scores) -> None:
    methods = present(scores.models)
    width = 0.86 / max(len(methods), 1)
    for place, part in enumerate(PARTS):
        found = {name: over_repeats(scores.values(name, f"auroc_{part}", SVHN)) for name in methods}
        # only what there is takes room, so that each group is centred
        there = [(methods[name], value) for name, value in found.items() if value is not None]
        for order, (method, value) in enumerate(there):
            x, half = place + (order + 0.5 - len(there) / 2) * width, np.nan_to_num(value.half_width)
            axes.bar(x, value.mean, 0.85 * width, yerr=half or None, color=method.color, ecolor=INK, capsize=2)
            # upright, as many bars are narrower than a number, and within the panel however wide an interval is
            top = min(value.mean + half, 1.0) + 0.008
            axes.text(x, top, f"{value.mean:.3f}", ha="center", va="bottom", fontsize=8, rotation=90)
    means = [scores.mean(name, f"auroc_{part}", SVHN) for name in methods for part in PARTS]
    lowest = min((value for value in means if not np.isnan(value)), default=0.5)
    axes.set(ylim=(min(0.5, np.floor(10 * lowest) / 10), 1.08), xlim=(-0.5, 2.5))
    axes.set_xticks(range(3), [f"{part} uncertainty" for part in PARTS])
    axes.set_ylabel("AUROC, SVHN", color=INK)
    axes.grid(visible=False, axis="x")
