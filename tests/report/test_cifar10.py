"""The report of the CIFAR-10 study."""

from dataclasses import replace
from pathlib import Path

import pytest

from endd.report import write_report
from endd.report.cifar10 import cifar10_report
from endd.report.document import Report
from endd.studies.result import Result
from tests.report.synthetic_cifar10 import cifar10_result


@pytest.fixture(scope="module")
def report() -> Report:
    return cifar10_report(cifar10_result())


def test_how_it_was_made_comes_first(report: Report) -> None:
    start = "Made by: endd reproduce cifar10 --out results/cifar10 (python 3.11, torch 2.13.0, GPU NVIDIA H200, seconds"
    assert report.summary.startswith(start)
    assert "3 repeats" in report.summary
    assert "4 corruptions of them at 5 severities" in report.summary
    assert "Members: epochs 80, batch_size 128, learning_rate 0.2." in report.summary


def test_how_students_learnt_that_learnt_otherwise_is_said() -> None:
    result = cifar10_result()
    there = [
        replace(r, model=f"distilled_{one}")
        for one in ("warm", "ood")
        for r in result.records
        if r.model == "distilled"
    ]
    how = {"warm": {"epochs": 12}, "warm_views": 4, "late": {"epochs": 150}, "late_views": 6}
    every = replace(result, records=[*result.records, *there], config=result.config | how)
    said = cifar10_report(every).summary
    assert " From a member on (distilled_warm): epochs 12, views 4." in said
    assert " With more images late (distilled_ood): epochs 150, views 6." in said
    said = cifar10_report(replace(every, config=every.config | {"late_warm": True})).summary
    assert " From a member on (distilled_warm, distilled_ood): epochs 12, views 4." in said
    assert "With more images late" not in said


def test_what_a_reader_must_know_stands_in_the_summary() -> None:
    result = cifar10_result(2)
    noted = replace(result, config=result.config | {"notes": ["Made before a change."]})
    assert cifar10_report(noted).summary.endswith("and beside SVHN. Made before a change.")


def test_targets_come_before_all_other_tables(report: Report) -> None:
    titles = [table.title for table in report.tables]
    assert titles[:4] == ["Targets", "Goals beyond the targets", "Clean images", "Quartiles over the corrupted sets"]
    assert titles[4:6] == ["Beside Ovadia et al. 2019", "The paper's claims"]
    assert len(titles) == len({*titles}) == 19
    assert titles[-1] == "Chosen on validation images"


def test_without_the_student_nothing_is_said_of_it() -> None:
    report = cifar10_report(cifar10_result(2, ("single", "ensemble", "distilled_diagonal")))
    assert report.tables[0].title == "Clean images"
    assert not [table.title for table in report.tables if "claims" in table.title or "minus" in table.title]


def test_every_figure_says_what_it_shows(report: Report) -> None:
    names = ["figure3", "figure3_ece15", "students", "scores", "risk", "svhn", "epistemic", "fidelity"]
    assert [drawing.name for drawing in report.drawings] == names
    assert all(len(drawing.alt) > 40 and drawing.caption for drawing in report.drawings)


def smoke() -> Result:
    """One repeat of two models, and no more settings than any run has."""
    result = cifar10_result(1, ("single", "distilled"))
    for name in ("chosen", "command", "member"):
        result.config.pop(name)
    return result


def test_a_smoke_run_has_a_report(tmp_path: Path) -> None:
    smoke().save(tmp_path)
    table = write_report(tmp_path)
    assert table.startswith("# CIFAR-10\n\nMade by: unknown (")
    assert "one repeat. 10 members" in table
    assert "Members: -." in table
    assert "nan" not in table
    assert (tmp_path / "report.html").read_text().count("data:image/webp") == 8
