"""Figures of rejection and detection."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from endd.report.cifar10_figures import detection_figure, risk_figure
from endd.report.cifar10_methods import FIGURE3
from endd.report.cifar10_scores import Scores
from tests.report.synthetic_cifar10 import MODELS, cifar10_result

RESULT = cifar10_result()
SHOWN = {*MODELS} & {*FIGURE3}


def test_rejection_has_a_panel_a_severity() -> None:
    figure = risk_figure(RESULT)
    assert [axes.get_title() for axes in figure.axes] == ["Clean", *(f"Severity {s}" for s in range(1, 6))]
    assert all(len(axes.lines) == len(SHOWN) for axes in figure.axes)
    figure.canvas.draw()


def test_the_mean_over_repeats_is_drawn() -> None:
    line = next(line for line in risk_figure(RESULT).axes[0].lines if line.get_label() == "distilled")
    np.testing.assert_allclose(line.get_ydata(), RESULT.curves["distilled/risk/clean"].mean(0))


@pytest.fixture(scope="module")
def detection() -> Figure:
    return detection_figure(RESULT, Scores(RESULT))


def test_detection_by_every_uncertainty(detection: Figure) -> None:
    *curves, bars = detection.axes
    # chance too; single networks and mixture students have no split
    assert [len(axes.lines) - 1 for axes in curves] == [len(SHOWN), 4, 4]
    assert len(bars.patches) == len(SHOWN) + 4 + 4
    assert "0.910" in [text.get_text() for text in bars.texts]
    detection.canvas.draw()


def test_bars_stay_inside(detection: Figure) -> None:
    bars = detection.axes[-1]
    assert bars.get_ylim()[0] <= 0.5
    assert max(patch.get_height() for patch in bars.patches) < bars.get_ylim()[1]


def test_a_smoke_run_draws() -> None:
    few = cifar10_result(repeats=1, models=("single", "distilled"))
    assert len(risk_figure(few).axes[0].lines) == 2
    assert len(detection_figure(few, Scores(few)).axes[-1].patches) == 2 + 1 + 1
