"""The report of the UCI study."""

from dataclasses import replace

from endd.report.tables import Table
from endd.report.uci import uci_report
from endd.studies.result import Result


def rows(table: Table) -> dict[str, dict[str, str]]:
    return {row[0]: dict(zip(table.header, row, strict=True)) for row in table.rows}


def test_tables(uci_result: Result) -> None:
    tables = {table.title: table for table in uci_report(uci_result).tables}
    sets = ("yacht", "concrete")
    assert list(tables) == [
        "Targets",
        *(f"{s}: {kind}" for s in sets for kind in ("prediction", "against the ensemble")),
    ]
    prediction, comparison = (rows(tables[f"yacht: {kind}"]) for kind in ("prediction", "against the ensemble"))
    published = ["paper's ensemble", "paper's student", "Deep Ensembles 2017"]
    assert list(prediction) == [*uci_result.models(), *published]
    nll = uci_result.estimate("distilled", "nll", "yacht")
    assert nll is not None
    assert prediction["distilled"]["nll"] == f"{nll.mean:.3f} ± {nll.half_width:.3f}"
    assert prediction["paper's student"] == {
        "model": "paper's student",
        "rmse": "3.42",
        "nll_gaussian": "4.30",
        "ause10": "0.34",
    } | dict.fromkeys(("splits", "nll", "crps", "ause", "coverage95", "train_seconds"), "-")
    assert "ensemble" not in comparison
    assert comparison["mixture"]["epistemic_ratio"] == comparison["reference"]["gain lost"] == "-"


def test_the_gain_lost_is_a_ratio_of_means(uci_result: Result) -> None:
    nll = {name: uci_result.estimate(name, "nll", "yacht") for name in ("mixture", "ensemble", "single")}
    mean = {name: found.mean for name, found in nll.items() if found is not None}
    expected = (mean["mixture"] - mean["ensemble"]) / (mean["single"] - mean["ensemble"])
    table = next(t for t in uci_report(uci_result).tables if t.title == "yacht: against the ensemble")
    assert rows(table)["mixture"]["gain lost"] == f"{expected:.2f}"


def test_the_papers_preset_has_no_targets(uci_result: Result) -> None:
    paper = replace(uci_result, config=uci_result.config | {"preset": "paper"})
    assert "Targets" not in [table.title for table in uci_report(paper).tables]


def test_what_columns_mean_is_said_once(uci_result: Result) -> None:
    notes = [bool(table.note) for table in uci_report(uci_result).tables]
    assert notes == [True, True, True, False, False]


def test_the_summary_says_how_it_was_split(uci_result: Result) -> None:
    assert "five shuffled folds" in uci_report(uci_result).summary
    other = replace(uci_result, config=uci_result.config | {"splits": "published20", "seeds": 2})
    summary = uci_report(other).summary
    assert "20 published splits" in summary
    assert "2 seeds" in summary


def test_every_figure_says_what_it_shows(uci_result: Result) -> None:
    drawings = uci_report(uci_result).drawings
    assert [drawing.name for drawing in drawings] == ["gaps", "epistemic", "sparsification", "coverage"]
    assert all(len(drawing.alt) > 40 and drawing.caption for drawing in drawings)
