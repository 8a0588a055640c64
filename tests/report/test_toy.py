"""The report of the toy study."""

from dataclasses import replace

import pytest

from endd.report.tables import Table
from endd.report.toy import toy_report
from endd.studies.result import Result


def rows(table: Table) -> dict[str, dict[str, str]]:
    return {row[0]: dict(zip(table.header, row, strict=True)) for row in table.rows}


def test_tables(toy_result: Result) -> None:
    prediction, difference, fidelity = map(rows, toy_report(toy_result).tables)
    assert list(prediction) == toy_result.models()
    assert prediction["distilled"]["paper's AUSE"] == "0.163"
    assert prediction["single"]["paper's AUSE"] == "-"
    nll = toy_result.estimate("distilled", "nll")
    assert nll is not None
    assert prediction["distilled"]["nll"] == f"{nll.mean:.3f} ± {nll.half_width:.3f}"
    assert "ensemble" not in difference
    assert difference["mixture"]["rmse"][0] in "+-"
    assert fidelity["mixture"]["epistemic_ratio"] == "-"
    assert fidelity["reference"]["kl_teacher"] != "-"
    assert (prediction["distilled"]["seeds"], prediction["distilled_weight_0.5"]["seeds"]) == ("2", "2")


def test_every_figure_says_what_it_shows(toy_result: Result) -> None:
    drawings = toy_report(toy_result).drawings
    assert [drawing.name for drawing in drawings] == ["figure2", "figure1", "tradeoff"]
    assert all(len(drawing.alt) > 40 and drawing.caption for drawing in drawings)


def test_without_a_sweep_there_is_no_figure_of_it(toy_result: Result) -> None:
    few = replace(toy_result, records=[r for r in toy_result.records if "weight" not in r.model])
    assert [drawing.name for drawing in toy_report(few).drawings] == ["figure2", "figure1"]


@pytest.mark.parametrize(("seeds", "said"), [(1, "one seed"), (2, "2 seeds")])
def test_the_summary_says_how_many_seeds(toy_result: Result, seeds: int, said: str) -> None:
    result = replace(toy_result, config=toy_result.config | {"seeds": seeds})
    summary = toy_report(result).summary
    assert said in summary
    assert ("confidence" in summary) == (seeds > 1)
