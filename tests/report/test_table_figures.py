"""The figures of a fitted table, from plain arrays."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from endd.report import table_figures as figures
from endd.studies.result import Result

BOTH = ["sparsification_figure", "distance_figure"]


@pytest.mark.parametrize("name", ["predictions_figure", "coverage_figure", *BOTH])
def test_of_a_regression(name: str, priced: Any) -> None:
    figure = getattr(figures, name)(priced[0])
    assert isinstance(figure, Figure)
    assert figure.legends


@pytest.mark.parametrize("name", ["classes_figure", "reliability_figure", *BOTH])
def test_of_a_classification(name: str, sized: Any) -> None:
    assert isinstance(getattr(figures, name)(sized[0]), Figure)


def test_without_a_teacher(priced: Any) -> None:
    result: Result = priced[0]
    curves = {name: array for name, array in result.curves.items() if not name.startswith("ensemble")}
    (axes,) = figures.coverage_figure(replace(result, curves=curves)).axes
    assert [line.get_label() for line in axes.lines] == ["calibrated", "distilled"]


def test_extremes(priced: Any, sized: Any) -> None:
    """No epistemic part at all, every prediction right, and very many classes."""
    result: Result = priced[0]
    none = result.curves | {"distance_epistemic": np.zeros_like(result.curves["distance"])}
    (axes,) = figures.distance_figure(replace(result, curves=none)).axes
    assert axes.get_yscale() == "linear"
    K, result = 30, sized[0]
    curves = result.curves | {"confusion": np.eye(K, dtype=int), "groups": np.array([[K, 0.1, 0.1], [0, 0, 0]])}
    figures.classes_figure(replace(result, curves=curves, config=result.config | {"classes": list(range(K))}))
