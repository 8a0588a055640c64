"""Figures of the epistemic uncertainty beside the teacher's."""

import numpy as np

from endd.report.cifar10_fidelity_figures import epistemic_figure, fidelity_figure
from endd.report.cifar10_scores import Scores
from tests.report.synthetic_cifar10 import cifar10_result

RESULT = cifar10_result()


def test_a_row_a_student_and_a_column_a_severity() -> None:
    figure = epistemic_figure(RESULT)
    assert len(figure.axes) == 3 * 6
    assert [axes.get_title() for axes in figure.axes[:6]] == ["Clean", *(f"Severity {s}" for s in range(1, 6))]
    # the other ensemble lies behind the student
    behind, student = figure.axes[0].collections
    np.testing.assert_allclose(behind.get_offsets()[:, 1], RESULT.curves["reference/epistemic/clean"])
    np.testing.assert_allclose(student.get_offsets()[:, 1], RESULT.curves["distilled/epistemic/clean"])
    figure.canvas.draw()


def test_lines_over_severities() -> None:
    scores = Scores(RESULT)
    figure = fidelity_figure(scores)
    order, size = figure.axes
    labels = ["another ensemble", "distilled", "distilled, the paper's form", "Dirichlet student"]
    assert [line.get_label() for line in order.lines] == labels
    assert [line.get_label() for line in size.lines] == [*labels, "equal"]
    expected = [scores.median("distilled", "epistemic_spearman", severity) for severity in range(6)]
    np.testing.assert_allclose(order.lines[1].get_ydata(), expected)
    figure.canvas.draw()


def test_without_students_or_reference() -> None:
    bare = cifar10_result(repeats=1, models=("single", "ensemble"))
    assert len(epistemic_figure(bare).axes) == 6
    assert len(fidelity_figure(Scores(bare)).axes[0].lines) == 0
