"""Charts of a student beside its ensemble."""

import pytest

from endd.report.fidelity_charts import agreement_chart, fidelity_charts, quality_chart
from endd.studies.fidelity import fidelity
from endd.studies.result import Result
from tests.studies.test_fidelity import data, pair


def made(kind: str, labels: bool = True) -> Result:
    x, y = data(kind, 120)
    return fidelity(*pair(kind), x, y if labels else None, resamples=5)


@pytest.mark.parametrize("kind", ["numbers", "classes", "counts"])
def test_panels(kind: str) -> None:
    result = made(kind)
    agreement, quality = fidelity_charts(result)
    assert [panel.title for panel in agreement.panels] == ["total", "aleatoric", "epistemic"]
    titles = [panel.title for panel in quality.panels]
    assert titles == [*(["Calibration"] if kind != "counts" else []), "Sparsification", "Risk and coverage"]
    for chart in (agreement, quality):
        assert "nan" not in str(chart.markup)


def test_texts_hold_the_numbers() -> None:
    result = made("numbers")
    (spearman,) = result.values("distilled", "epistemic_spearman").values()
    assert f"epistemic: Spearman {spearman:.2f}" in agreement_chart(result).alt
    (nll,) = result.values("ensemble", "nll").values()
    assert f"nll: ensemble {nll:.3g}" in quality_chart(result).alt


def test_points_say_which_input_they_are() -> None:
    result = made("classes", labels=False)
    (chart,) = fidelity_charts(result)
    assert 'data-tip="input 7\nensemble ' in str(chart.markup)
