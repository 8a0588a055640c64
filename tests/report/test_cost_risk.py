"""The figure of cost-risk curves."""

import io

import numpy as np

from endd.report.cost_risk import cost_risk_figure


def test_a_panel_for_every_curve() -> None:
    curves = {name: (np.linspace(0, 1, 5), np.linspace(2, 1, 5)) for name in ("toy", "digits")}
    figure = cost_risk_figure(curves, "nll", {"toy": 3.0, "digits": 4.0}, mark=0.2)
    assert [axes.get_title() for axes in figure.axes] == ["toy", "digits"]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["cascade", "student alone", "ensemble alone", "single network"]
    assert figure.axes[1].lines[0].get_ydata()[-1] == 1
    figure.savefig(io.BytesIO(), format="png")


def test_a_single_network_need_not_be_known() -> None:
    figure = cost_risk_figure({"toy": (np.array([0.0, 1.0]), np.array([2.0, 1.0]))}, "loss")
    assert len(figure.legends[0].get_texts()) == 3
