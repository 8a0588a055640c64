"""Seen and unseen corruptions, and published medians beside ours."""

from dataclasses import replace

import numpy as np
import pytest

from endd.report import cifar10_outside
from endd.report.cifar10_outside import outside_tables, ovadia_table, passes_table, warm_table
from endd.report.cifar10_scores import Scores
from endd.report.tables import Table
from endd.studies.cifar10_outside import SEEN as SHOWN
from endd.studies.result import Record, Result
from tests.report.synthetic_cifar10 import cifar10_result


def tables(result: Result) -> list[Table]:
    return [*outside_tables(result, Scores(result))]


def with_outside() -> Result:
    result = cifar10_result(2, ("single", "ensemble", "distilled"))
    more = [replace(record, model="distilled_ood") for record in result.records if record.model == "distilled"]
    return replace(result, records=[*result.records, *more])


def test_no_table_where_nobody_has_seen_any() -> None:
    assert tables(cifar10_result()) == []


def test_those_that_the_study_shows_are_those_that_count_as_seen() -> None:
    assert cifar10_outside.SEEN == SHOWN  # said twice, as reports do without networks


def test_seen_corruptions_stand_apart() -> None:
    result = with_outside()
    table, _ = tables(result)
    assert [row[0] for row in table.rows] == ["single", "distilled", "distilled_ood", "ensemble"]
    row = next(row for row in table.rows if row[0] == "distilled_ood")
    for place, seen in ((1, True), (6, False)):
        by_set: dict[str, list[float]] = {}
        for record in result.records:
            inside = record.dataset.startswith("frost-") == seen and "-" in record.dataset
            if record.model == "distilled_ood" and record.metric == "accuracy" and inside:
                by_set.setdefault(record.dataset, []).append(record.value)
        expected = np.median([np.mean(values) for values in by_set.values()])
        assert float(row[place]) == pytest.approx(expected, abs=6e-4)


def test_what_seeing_them_gave_is_paired_by_repeat() -> None:
    result = with_outside()
    # one that is better by another amount in each repeat, and on seen corruptions alone
    better = [
        replace(r, value=r.value + 0.01 * (1 + r.seed) * r.dataset.startswith("frost-"))
        if (r.model, r.metric) == ("distilled_ood", "accuracy")
        else r
        for r in result.records
    ]
    _, gains = tables(replace(result, records=better))
    assert gains.title == "distilled_ood minus distilled"
    clean, seen, others = ((row[0], row[1]) for row in gains.rows)
    assert clean == ("clean", "+0.0000 ± 0.0000")
    assert seen == ("seen corruptions", "+0.0150 ± 0.0635")  # t(.975, 1) times .005
    assert others == ("the others", "+0.0000 ± 0.0000")


def test_the_twin_is_the_low_rank_student_whatever_its_name() -> None:
    result = with_outside()
    more = [replace(record, model="distilled_low_rank") for record in result.records if record.model == "distilled"]
    _, gains = tables(replace(result, records=[*result.records, *more]))
    assert gains.title == "distilled_ood minus distilled_low_rank"


def test_the_twin_starts_from_a_member_where_it_does_so_too() -> None:
    result = with_outside()
    more = [
        replace(record, model=model)
        for model in ("distilled_low_rank", "distilled_warm")
        for record in result.records
        if record.model == "distilled"
    ]
    both = replace(result, records=[*result.records, *more])
    known: dict[str, object] = {}
    for setting, other in (
        ({}, "low_rank"),
        ({"warm": {"epochs": 12}}, "low_rank"),
        ({"late_warm": True}, "warm"),
    ):
        known |= setting
        _, gains = tables(replace(both, config=result.config | known))
        assert gains.title == f"distilled_ood minus distilled_{other}"
    warm = result.config | known
    alone = replace(result, config=warm)  # none learns as it does but for the corruptions
    assert [table.title for table in tables(alone)][1:] == []


def test_how_long_both_learnt_is_said_where_it_differs() -> None:
    result = with_outside()
    _, gains = tables(result)
    assert "taught by the same members for as many epochs." in gains.note
    how = {"late": {"epochs": 150}, "late_views": 6, "student": {"epochs": 200}, "views": 48}
    _, gains = tables(replace(result, config=result.config | how))
    assert "it learnt for 150 epochs from 6 views of every image, distilled for 200 from 48." in gains.note


def test_a_start_from_a_member_has_a_table_beside_the_student_from_scratch() -> None:
    result = cifar10_result()
    more = [replace(r, model="distilled_warm", value=r.value + 0.01) for r in result.records if r.model == "distilled"]
    how = {"student": {"epochs": 200}, "warm": {"epochs": 12}}
    both = replace(result, records=[*result.records, *more], config=result.config | how)
    (table,) = warm_table(both, Scores(both))
    assert table.title == "distilled_warm minus distilled"
    assert [row[0] for row in table.rows] == ["clean", *(f"severity {severity}" for severity in range(1, 6))]
    assert {row[1] for row in table.rows} == {"+0.0100 ± 0.0000"}
    assert "learns for 12 epochs" in table.note
    assert not [*warm_table(result, Scores(result))]


def test_corruptions_alone_have_a_table_where_the_same_images_were_seen_as_they_are() -> None:
    result = with_outside()
    more = [replace(r, model="distilled_late", value=r.value - 0.01) for r in result.records if r.model == "distilled"]
    *_, alone = tables(replace(result, records=[*result.records, *more]))
    assert alone.title == "distilled_ood minus distilled_late"
    assert [row[1] for row in alone.rows] == ["+0.0100 ± 0.0000"] * 3
    assert "as they are" in alone.note


def test_published_medians_stand_beside_ours() -> None:
    result = cifar10_result()
    table = ovadia_table(
        replace(result, config=result.config | {"remarks": {"single nll": "fewer images"}}), Scores(result)
    )
    rows = {(row[0], row[1]): row for row in table.rows}
    assert {model for model, _ in rows} == {"single", "temperature", "ensemble"}
    _, _, ours, theirs, apart, verdict, why = rows["single", "nll"]
    assert theirs == "1.120"
    assert apart == f"{Scores(result).median('single', 'nll') / 1.12 - 1:+.0%}"
    assert verdict == ("far" if abs(float(ours) / 1.12 - 1) > 0.25 else "near")
    assert why == "fewer images"
    assert rows["single", "ece"][-1] == ""


def test_one_pass_stands_beside_many() -> None:
    result = cifar10_result(2, ("single", "ensemble", "distilled"))
    assert [*passes_table(result, Scores(result))] == []
    theirs = [replace(r, model="dropout", value=r.value - 0.01) for r in result.records if r.model == "distilled"]
    took = {"distilled": 0.5, "dropout": 15.0}
    times = [Record(model, "clean", "test", 0, "ms_a_row@1", taken) for model, taken in took.items()]
    result = replace(result, records=[*result.records, *theirs, *times], config=result.config | {"draws": 30})
    (table,) = passes_table(result, Scores(result))
    accuracy, *_, alone, many = table.rows
    assert all(cell.startswith("+0.0100") for cell in accuracy[1:-1])
    assert alone[-1] == "0.5 and 15 ms: 30.0 times"
    assert many[-1] == "-"
    assert "of 30 passes" in table.note
