"""The toy study from end to end, at its smallest; and that a student learns what its teacher says."""

from dataclasses import replace

import numpy as np
import pytest

from endd.engines import Engine
from endd.studies import toy
from endd.studies.result import Result
from tests.studies.small_pictures import timeless

PREDICTION = {"rmse", "nll", "nll_gaussian", "ause", "ause10", "train_seconds"}
MARGINAL = {"kl_teacher", "variance_ratio"}
SPLIT = {"epistemic_spearman", "epistemic_ratio", "rejection_overlap@10"}


def metrics_of(result: Result, model: str) -> set[str]:
    return {record.metric for record in result.records if record.model == model}


def test_models_and_metrics(toy_result: Result) -> None:
    assert metrics_of(toy_result, "ensemble") == PREDICTION | {"kl_reference", "epistemic_spearman_reference"}
    for model in ("mixture", "single"):
        assert metrics_of(toy_result, model) == PREDICTION | MARGINAL
    for model in ("distilled", "distilled_labelled", "distilled_weight_0", "distilled_weight_0.5", "reference"):
        assert metrics_of(toy_result, model) == PREDICTION | MARGINAL | SPLIT


def test_records_are_tidy(toy_result: Result) -> None:
    keys = [(r.model, r.seed, r.metric) for r in toy_result.records]
    assert len(set(keys)) == len(keys)
    assert {(r.dataset, r.split) for r in toy_result.records} == {("toy", "test")}
    assert {r.seed for r in toy_result.records} == {0, 1}
    assert toy_result.study == "toy"


def test_the_reference_is_told_twice_alike(toy_result: Result) -> None:
    ours, theirs = toy_result.values("ensemble", "kl_reference"), toy_result.values("reference", "kl_teacher")
    assert ours == theirs


def test_first_seed() -> None:
    config = replace(toy.Config().smoke(), seeds=1, first_seed=7, weights=())
    assert {record.seed for record in toy.run(config, "none").records} == {7}


def test_repeats_are_the_same_wherever_they_run() -> None:
    """In parts of one repeat each: here, in two processes, and after a run that was stopped."""
    config = replace(toy.Config().smoke(), together=1, weights=())
    first, here = toy.run_stepwise(config, "none")
    assert {record.seed for record in first.records} == {0}
    there = toy.run(config, "none", Engine(workers=2))
    *_, later = toy.run_stepwise(config, "none", first)
    alone = toy.run(replace(config, seeds=1, first_seed=1), "none")
    assert timeless(here) == timeless(there) == timeless(later) == timeless(first) + timeless(alone)
    assert here.config == there.config == config.as_plain()
    assert here.curves["ensemble_oracle"].shape[0] == 2
    for name, curve in here.curves.items():
        assert np.array_equal(there.curves[name], curve), name
        assert np.array_equal(later.curves[name], curve), name


def test_a_student_learns_what_its_teacher_says() -> None:
    """A short run already shows the claim: the student's split is the teacher's, and the mixture's total is."""
    small = replace(toy.Config(), seeds=1, weights=(), train_points=320, samples=320, test_points=500)
    student = replace(small.student, epochs=150, batch_size=32)
    quick = replace(
        small, labelled=False, teacher=replace(small.teacher, epochs=100, learning_rate=5e-3), student=student
    )
    result = toy.run(quick, "none")
    value = {(record.model, record.metric): record.value for record in result.records}
    assert value["distilled", "rmse"] == pytest.approx(value["ensemble", "rmse"], rel=0.1)
    assert value["distilled", "epistemic_spearman"] > 0.8
    assert 0.6 < value["distilled", "epistemic_ratio"] < 1.6
    assert 0.9 < value["mixture", "variance_ratio"] < 1.1
    for student in ("distilled", "mixture"):
        assert value[student, "kl_teacher"] < value["single", "kl_teacher"]
