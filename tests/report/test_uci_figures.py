"""The figures of the UCI study."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from matplotlib.figure import Figure

from endd.report.uci_figures import coverage_figure, epistemic_figure, gaps_figure, sparsification_figure
from endd.studies.result import Result

FIGURES = [gaps_figure, epistemic_figure, sparsification_figure, coverage_figure]


@pytest.mark.parametrize("draw", FIGURES)
def test_a_panel_a_data_set(draw: Callable[[Result], Figure], uci_result: Result) -> None:
    figure = draw(uci_result)
    assert [axes.get_title() for axes in figure.axes] == ["yacht", "concrete"]
    figure.canvas.draw()


@pytest.mark.parametrize("draw", FIGURES)
def test_more_sets_than_columns_leave_panels_empty(draw: Callable[[Result], Figure], uci_result: Result) -> None:
    names = [f"set{n}" for n in range(7)]
    many = replace(
        uci_result,
        records=[replace(r, dataset=name) for name in names for r in uci_result.records if r.dataset == "yacht"],
        curves={
            key.replace("yacht", name): array
            for name in names
            for key, array in uci_result.curves.items()
            if key.startswith("yacht/")
        },
    )
    figure = draw(many)
    assert [axes.get_visible() for axes in figure.axes] == [True] * 7 + [False] * 3


def test_every_model_is_compared(uci_result: Result) -> None:
    labels = [text.get_text().replace("\n", " ") for text in gaps_figure(uci_result).axes[0].get_xticklabels()]
    assert labels == ["distilled, full", "distilled, diagonal", "mixture", "another ensemble", "single"]


def test_the_target_is_drawn_where_there_is_one(uci_result: Result) -> None:
    assert "the student's target" in gaps_figure(uci_result).axes[0].get_legend_handles_labels()[1]
