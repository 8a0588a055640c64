"""Pieces of figures."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.patches import Ellipse

from endd.report import figures as draw
from endd.studies.statistics import Estimate


def test_a_band_reaches_two_standard_deviations() -> None:
    _, grid = draw.new_figure(1, 1, (3, 3))
    x = np.linspace(0, 1, 5)
    draw.draw_band(grid[0, 0], x, np.ones(5), np.full(5, 0.25), color="red")
    low, high = grid[0, 0].collections[0].get_paths()[0].get_extents().intervaly
    assert (low, high) == pytest.approx((0, 2))


def test_an_outer_band_leaves_the_inner_free() -> None:
    _, grid = draw.new_figure(1, 1, (3, 3))
    x = np.linspace(0, 1, 5)
    draw.draw_band(grid[0, 0], x, np.zeros(5), np.full(5, 1.0), np.full(5, 0.25), color="red", label="epistemic")
    extents = [part.get_paths()[0].get_extents().intervaly for part in grid[0, 0].collections]
    assert sorted(map(tuple, extents)) == [(-2, -1), (1, 2)]
    assert grid[0, 0].get_legend_handles_labels()[1] == ["epistemic"]


def test_ellipses_follow_the_covariance() -> None:
    _, grid = draw.new_figure(1, 1, (3, 3))
    turn = np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    draw.draw_normal(grid[0, 0], np.zeros(2), turn @ np.diag([4.0, 1.0]) @ turn.T, "blue", "density")
    shapes = [patch for patch in grid[0, 0].patches if isinstance(patch, Ellipse)]
    assert [shape.width for shape in shapes] == pytest.approx([12, 8, 4])
    assert [shape.height for shape in shapes] == pytest.approx([6, 4, 2])
    assert shapes[0].angle % 180 == pytest.approx(np.degrees(0.5))


def test_one_value_draws_without_an_interval() -> None:
    _, grid = draw.new_figure(1, 1, (3, 3))
    alone = Estimate(1.0, float("nan"), 1)
    draw.draw_estimates(grid[0, 0], np.array([0.0]), [alone], "blue")
    draw.draw_level(grid[0, 0], alone, "grey", "level")
    assert not grid[0, 0].patches


def test_limits_hold_all_means_and_no_endless_interval() -> None:
    _, grid = draw.new_figure(1, 2, (6, 3))
    estimates = [Estimate(mean, 100.0, 3) for mean in (1.0, 2.0, 4.0)]
    for axes, log in zip(grid.flat, (False, True), strict=True):
        draw.show_means(axes, estimates, log=log)
        low, high = axes.get_ylim()
        assert -0.1 < low < 1
        assert 4 < high < 10


def test_the_legend_names_each_label_once() -> None:
    figure, grid = draw.new_figure(1, 2, (6, 3))
    for axes in grid.flat:
        axes.plot([0, 1], label="mean")
    draw.shared_legend(figure, grid.flat)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["mean"]


def test_neither_torch_nor_pyplot_is_loaded() -> None:
    code = "import sys, endd.report; print('torch' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split() == ["False"] * 2
