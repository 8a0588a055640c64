"""Targets of the CIFAR-10 study."""

from dataclasses import replace

import pytest

from endd.report.cifar10_scores import Scores
from endd.report.cifar10_targets import goals, goals_table, targets, targets_table
from endd.studies.result import Result
from tests.report.synthetic_cifar10 import cifar10_result

RESULT = cifar10_result()


def changed(model: str, metric: str, by: float, dataset: str | None = None) -> Result:
    """The result with some of its numbers shifted."""
    records = [
        replace(r, value=r.value + by) if (r.model, r.metric) == (model, metric) and dataset in (None, r.dataset) else r
        for r in RESULT.records
    ]
    return replace(RESULT, records=records)


def missed(result: Result) -> list[str]:
    return [target.name for target in targets(Scores(result)) if target.known and not target.met]


def test_a_good_student_meets_them_all() -> None:
    assert missed(RESULT) == []
    assert len([target for target in targets(Scores(RESULT)) if target.known]) == 18


@pytest.mark.parametrize(
    ("model", "metric", "dataset", "by", "name"),
    [
        ("single", "accuracy", "clean", -0.01, "single: accuracy, clean"),
        ("ensemble", "accuracy", "clean", -0.0025, "ensemble: accuracy, clean"),
        ("distilled", "nll", "clean", 0.03, "nll gain over single lost, clean"),
        ("distilled", "ece", "clean", 0.004, "ece, clean: student minus teacher"),
        ("distilled", "epistemic_spearman", "clean", -0.04, "Spearman of epistemic, clean"),
        ("distilled", "epistemic_ratio", "clean", 0.3, "mean epistemic, clean, ratio"),
        ("distilled", "auroc_epistemic", "svhn", -0.01, "AUROC of epistemic, SVHN: teacher minus student"),
    ],
)
def test_each_can_be_missed(model: str, metric: str, dataset: str, by: float, name: str) -> None:
    assert name in missed(changed(model, metric, by, dataset))


def test_calibration_is_judged_at_every_severity() -> None:
    expected = [f"ece, severity {severity}: student minus teacher" for severity in range(1, 6)]
    found = missed(changed("distilled", "ece", 0.03))
    assert [name for name in found if "severity" in name] == expected


def test_the_better_of_the_control_counts() -> None:
    name = "Spearman of epistemic, clean: student minus the control's better"
    assert name in missed(changed("temperature_control", "epistemic_spearman_temperature", 0.2, "clean"))
    assert name in missed(changed("temperature_control", "epistemic_spearman_entropy", 0.1, "clean"))
    assert name not in missed(changed("temperature_control", "epistemic_spearman_temperature", 0.05, "clean"))


def test_gaps_are_over_the_repeats_that_student_and_teacher_share() -> None:
    last = max(record.seed for record in RESULT.records)
    lower = {("ensemble", "accuracy"): -0.05, ("distilled_long", "accuracy"): -0.05}  # all networks in that repeat
    copied = [replace(r, model="distilled_long") for r in RESULT.records if r.model == "distilled" and r.seed == last]
    every = [
        replace(r, value=r.value + lower.get((r.model, r.metric), 0.0)) if r.seed == last else r
        for r in [*RESULT.records, *copied]
    ]
    gap, *_ = goals(Scores(replace(RESULT, records=every)), "distilled_long")
    before, *_ = goals(Scores(replace(RESULT, records=[r for r in RESULT.records if r.seed == last])))
    assert gap.value == pytest.approx(before.value)


def test_an_interval_that_holds_zero_is_a_miss() -> None:
    name = "Spearman of epistemic, corrupted: student minus the control's better"
    shifts = (0.2, -0.1, -0.09)
    records = [
        replace(r, value=r.value + shifts[r.seed]) if (r.model, r.dataset) == ("distilled", "corrupted") else r
        for r in RESULT.records
    ]
    assert name in missed(replace(RESULT, records=records))


def test_a_share_without_a_bound_is_no_target() -> None:
    table = targets_table(RESULT, Scores(RESULT))
    row = next(row for row in table.rows if row[0] == "nll gain over temperature lost, clean")
    assert (row[1], row[3]) == ("-", "no bound")


def test_without_a_gain_none_is_lost() -> None:
    level = changed("single", "nll", -0.2, "clean")
    row = next(row for row in targets_table(level, Scores(level)).rows if row[0] == "nll gain over single lost, clean")
    assert row[1:3] == ("-", "-")


def test_what_was_tried_is_told_where_it_was_missed() -> None:
    tried = {"ece, clean: student minus teacher": "Longer training.", "distilled: nll, clean": "Nothing."}
    poor = changed("distilled", "ece", 0.01, "clean")
    found = targets_table(replace(poor, config=poor.config | {"missed": tried}), Scores(poor))
    assert found.note.splitlines()[1:] == ["- ece, clean: student minus teacher: Longer training."]
    assert found.note.startswith("17 of 18 are met.")


def test_one_repeat_and_missing_models_are_no_error() -> None:
    alone = cifar10_result(repeats=1)
    verdicts = {row[0]: row[1:] for row in targets_table(alone, Scores(alone)).rows}
    assert verdicts["Spearman of epistemic, corrupted, against two ensembles'"][0] == "-"
    assert verdicts["Spearman of epistemic, clean: student minus the control's better"][0] == "-"
    few = cifar10_result(repeats=1, models=("single",))
    rows = targets_table(few, Scores(few)).rows
    assert [row[1] for row in rows] == ["met", *["-"] * (len(rows) - 1)]


def test_goals_are_further_than_targets() -> None:
    bounds = {target.name: target.high for target in targets(Scores(RESULT))}
    *shared, overlap = goals(Scores(RESULT))
    assert [goal.name for goal in shared if not (goal.high or 0.0) < (bounds[goal.name] or 0.0)] == []
    assert overlap.bounds == ">= 0.750"


def test_goals_stand_beside_another_ensemble() -> None:
    table = goals_table(RESULT, Scores(RESULT))
    assert len(table.rows) == 9
    assert "Another ensemble on the same data has an overlap of 0." in table.note
    few = replace(RESULT, records=[r for r in RESULT.records if "reference" not in r.metric])
    assert "Another ensemble" not in goals_table(few, Scores(few)).note


def test_what_was_tried_for_a_goal_is_told_once() -> None:
    missed = [name for name, *_, verdict in goals_table(RESULT, Scores(RESULT)).rows if verdict == "missed"]
    assert missed
    told = replace(RESULT, config=RESULT.config | {"missed": {name: f"tried {name}" for name in missed}})
    above, below = targets_table(told, Scores(told)).note, goals_table(told, Scores(told)).note
    for name in missed:
        assert above.count(f"- {name}: tried") + below.count(f"- {name}: tried") == 1


@pytest.mark.parametrize("name", ["distilled_dense", "distilled_symmetric", "distilled_long"])
def test_goals_are_told_of_students_that_cost_more_too(name: str) -> None:
    dense = [replace(r, model=name) for r in RESULT.records if r.model == "distilled"]
    better = [replace(r, value=r.value + 0.02) if r.metric == "accuracy" else r for r in dense]
    both = replace(RESULT, records=[*RESULT.records, *better], config=RESULT.config | {"longer": 4})
    table = goals_table(both, Scores(both))
    assert table.header == ("target", "bound", "distilled", "verdict", name, "verdict")
    accuracy, *others = table.rows
    assert float(accuracy[4]) == pytest.approx(float(accuracy[2]) - 0.02)
    assert all(row[2:4] == row[4:] for row in others)
    assert table.note.count("of 9 are met") == 2
    assert f" {name} " in table.note
    assert ("learns for 4 times as many epochs" in table.note) == (name == "distilled_long")
    assert name not in goals_table(RESULT, Scores(RESULT)).note


def test_what_members_gain_by_mirror_images_is_told_where_they_were_asked() -> None:
    asked = [
        replace(r, model=f"{r.model}_symmetric", value=r.value / 2)
        for r in RESULT.records
        if r.model in ("single", "ensemble")
    ]
    scores = Scores(RESULT)
    table = goals_table(RESULT, Scores(replace(RESULT, records=[*RESULT.records, *asked])))
    single, ensemble = (f"{scores.mean(model, 'nll') / 2:.4f}" for model in ("single", "ensemble"))
    assert f"a single network has an nll of {single}, the ensemble of {ensemble}." in table.note
    half = [r for r in asked if r.model == "single_symmetric"]
    for some in ([], half):
        assert "mirror" not in goals_table(RESULT, Scores(replace(RESULT, records=[*RESULT.records, *some]))).note
