"""The report of the frontier."""

from dataclasses import replace
from pathlib import Path

import pytest

from endd.report import write_report
from endd.report.document import Report
from endd.report.frontier import frontier_report
from endd.report.tables import Table
from tests.report.synthetic_frontier import frontier_result, models


@pytest.fixture(scope="module")
def report() -> Report:
    return frontier_report(frontier_result())


TITLE = "Beside the teacher, clean images"


def table(report: Report, title: str) -> Table:
    return next(table for table in report.tables if table.title == title)


def test_what_to_deploy_comes_first(report: Report) -> None:
    assert report.summary.startswith(
        "With 41 M multiply-adds an image deploy student_1, with 82 M dense_1, with 92 M student_1.5"
    )
    assert report.tables[0].title == "What to deploy"
    assert "3 repeats" in report.summary
    assert "student_W: a low-rank normal over logits, 100 epochs" in report.summary
    assert report.summary.endswith("40000 images to learn from, 10000 to test on.")


def test_notes_on_the_numbers_end_the_summary() -> None:
    result = frontier_result()
    noted = replace(result, config=result.config | {"notes": ["One.", "Two."]})
    assert frontier_report(noted).summary.endswith("to test on. One. Two.")


def test_every_budget_names_its_model_and_what_the_step_gains(report: Report) -> None:
    rows = [row for row in table(report, "What to deploy").rows if row[0] == "multiply-adds"]
    assert [row[1:3] for row in rows[:2]] == [("41 M", "student_1"), ("82 M", "dense_1")]
    assert rows[0][-1] == "-"
    assert rows[1][-1].startswith("-0.0")
    assert "±" in rows[1][-1]
    assert {row[0] for row in table(report, "What to deploy").rows} == {
        *("multiply-adds", "parameters", "ms an image, 1 at once", "ms an image, 1024 at once")
    }


def test_whoever_needs_both_uncertainties_is_told_what_to_take() -> None:
    result = frontier_result()
    single = [
        replace(r, value=0.01) if r.model == "single_1" and (r.dataset, r.metric) == ("validation", "nll") else r
        for r in result.records
    ]
    found = frontier_report(replace(result, records=single))
    assert found.summary.startswith(
        "With 41 M multiply-adds an image deploy single_1. Where both kinds of uncertainty are needed: With 41 M "
        "multiply-adds an image deploy student_1, with 82 M dense_1"
    )
    rows = table(found, "What to deploy where both kinds of uncertainty are needed").rows
    assert not [row for row in rows if row[2].startswith("single")]
    assert {row[2] for row in table(found, "What to deploy").rows} == {"single_1"}


def test_models_are_chosen_on_validation_images() -> None:
    """A model that does well on test images alone is not taken."""
    result = frontier_result()
    lucky = [
        replace(r, value=0.01) if (r.model, r.dataset, r.metric) == ("hydra", "clean", "nll") else r
        for r in result.records
    ]
    found = frontier_report(replace(result, records=lucky))
    assert "deploy student_1," in found.summary


def test_all_models_have_their_rows(report: Report) -> None:
    for title in ("Costs", "Clean images", "Corrupted images"):
        assert [row[0] for row in table(report, title).rows] == [*models()]
    costs = {row[0]: row for row in table(report, "Costs").rows}
    assert costs["single_1"][1:3] == ("269,722", "40,551,040")
    assert costs["single_1"][4] == "-"  # no loop of one
    assert costs["ensemble_2"][4] != "-"


def test_differences_are_paired(report: Report) -> None:
    rows = {row[0]: row[1:] for row in table(report, "Differences, clean images").rows}
    assert list(rows)[:2] == ["student_1 minus single_1", "student_1.5 minus single_1.5"]
    assert {"student_4 minus single_4", "hydra minus student_1", "dense_1 minus student_1"} <= set(rows)
    assert all("±" in cell for cell in rows["student_1 minus single_1"])


def test_all_models_stand_beside_the_teacher(report: Report) -> None:
    found = table(report, TITLE)
    rows = {row[0]: row[1:] for row in found.rows}
    assert list(rows) == [model for model in models() if model != "ensemble_10"]
    assert (rows["single_1"][3], rows["ensemble_1"][3]) == ("1.000", "1.000")
    # in made up numbers, but for their jitter, nll of .29 beside .274 and .4
    assert rows["student_2"][0].startswith("-0.0160 ±")
    assert float(rows["student_2"][3]) == pytest.approx(0.016 / 0.126, abs=0.01)
    assert "at most 0.005 of accuracy and 0.25 of the gain lost, an overlap of at least 0.75" in found.note
    assert "goals" not in table(report, "Beside the teacher, corrupted images").note


def test_a_gain_is_that_of_the_repeats_that_are_shared() -> None:
    result = frontier_result()
    kept = [r for r in result.records if r.model != "student_4" or r.seed == 1]
    whole = [replace(r, value=r.value + r.seed) if r.metric == "nll" else r for r in kept]
    rows = {row[0]: row for row in table(frontier_report(replace(result, records=whole)), TITLE).rows}
    same = {row[0]: row for row in table(frontier_report(replace(result, records=kept)), TITLE).rows}
    assert rows["student_4"][4] == same["student_4"][4]


def test_wide_students_that_hold_members_are_said_to() -> None:
    result = frontier_result()
    config = result.config | {"warm": True, "widths": [1.0, 2.0], "views": 48}
    assert (
        "100 epochs (views of every image: 48), from the weights of the first member on, all but the head; wider ones "
        "hold as many of the first members side by side as they have room for. "
    ) in frontier_report(replace(result, config=config)).summary


def test_files_are_written_and_small(tmp_path: Path) -> None:
    frontier_result(3).save(tmp_path)
    text = write_report(tmp_path)
    assert text.startswith("# The frontier\n\nWith 41 M multiply-adds")
    assert "nan" not in text
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {"frontier.png"}
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < 400_000


def test_one_repeat_and_few_models_have_a_report(tmp_path: Path) -> None:
    whole = frontier_result(1)
    few = [record for record in whole.records if record.model in ("single_4", "student_4")]
    replace(whole, records=few).save(tmp_path)
    text = write_report(tmp_path)
    assert "one repeat" in text
    assert "student_4 minus single_4" in text
    assert "nan" not in text


def test_levers_are_compared_with_the_student_that_has_none() -> None:
    result = frontier_result()
    more = [replace(r, model="lever_ema", value=r.value + 0.01) for r in result.records if r.model == "student_1"]
    found = frontier_report(replace(result, records=[*result.records, *more]))
    for dataset in ("clean", "corrupted"):
        ((lever, first, *_),) = table(found, f"Levers, {dataset} images").rows
        assert lever == "lever_ema"
        assert first.startswith("+0.0100")
    assert "lever_ema" not in {row[0] for row in table(found, "Costs").rows}


def test_levers_alone_have_a_report(tmp_path: Path) -> None:
    result = frontier_result()
    levers = [replace(r, model="lever_ema") for r in result.records if r.model == "student_1"]
    replace(result, records=levers).save(tmp_path)
    text = write_report(tmp_path)
    assert "Levers, clean images" in text
    assert "| lever_ema | -" in text  # the student without is not there
    assert not [*tmp_path.rglob("*.png")]
