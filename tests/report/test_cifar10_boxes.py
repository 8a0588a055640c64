"""Boxes over the corruptions."""

from dataclasses import replace
from itertools import pairwise

import pytest
from matplotlib.patches import PathPatch

from endd.report.cifar10_boxes import boxes_figure
from endd.report.cifar10_methods import DISTILLERS, FIGURE3
from endd.report.cifar10_scores import Scores
from tests.report.synthetic_cifar10 import MODELS, cifar10_result

RESULT = cifar10_result()


@pytest.mark.parametrize("among", [FIGURE3, DISTILLERS])
def test_a_box_a_method_and_severity(among: tuple[str, ...]) -> None:
    scores, shown = Scores(RESULT), {*MODELS} & {*among}
    figure = boxes_figure(scores, ("accuracy", "ece_quartile"), among)
    for axes, label in zip(figure.axes, ("Accuracy", "ECE, 4 bins"), strict=True):
        boxes = [patch for patch in axes.patches if isinstance(patch, PathPatch)]
        assert len(boxes) == len(shown) * 5
        assert [line.get_marker() for line in axes.lines].count("D") == len(shown)
        assert axes.get_ylabel() == label
    assert len(figure.legends[0].get_texts()) == len(shown)
    assert [text.get_text() for text in figure.axes[1].get_xticklabels()] == ["clean", *"12345"]
    figure.canvas.draw()


def test_however_many_methods_there_are_their_names_fit() -> None:
    known = [record for record in RESULT.records if record.model == "distilled"]
    more = [replace(record, model=model) for model in DISTILLERS if model not in MODELS for record in known]
    figure = boxes_figure(Scores(replace(RESULT, records=[*RESULT.records, *more])), ("nll",), DISTILLERS)
    figure.canvas.draw()
    (legend,) = figure.legends
    assert len(legend.get_texts()) == len(DISTILLERS)
    extent, whole = legend.get_window_extent(), figure.bbox
    assert whole.x0 <= extent.x0
    assert extent.x1 <= whole.x1


def test_boxes_of_a_severity_do_not_touch() -> None:
    axes = boxes_figure(Scores(RESULT), ("nll",)).axes[0]
    spans = sorted(tuple(patch.get_path().get_extents().intervalx) for patch in axes.patches)
    assert all(left[1] < right[0] for left, right in pairwise(spans))


def test_clean_images_alone_have_points_only() -> None:
    clean = replace(RESULT, records=[record for record in RESULT.records if record.dataset == "clean"])
    assert not boxes_figure(Scores(clean), ("nll",)).axes[0].patches
