"""The UCI study from end to end, at its smallest."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from endd.engines import Engine
from endd.studies import uci
from endd.studies.result import Result
from tests.studies.small_pictures import timeless

TINY = uci.Config(datasets=("yacht", "concrete")).smoke()
PREDICTION = {"rmse", "nll", "nll_gaussian", "crps", "ause", "ause10", "coverage95", "train_seconds"}
MARGINAL = {"kl_teacher", "variance_ratio"}
SPLIT = {"epistemic_spearman", "epistemic_ratio", "rejection_overlap@10"}
METRICS = {
    "ensemble": PREDICTION | {"kl_reference", "epistemic_spearman_reference"},
    "reference": PREDICTION | MARGINAL | SPLIT,
    "single": PREDICTION | MARGINAL,
    "distilled": PREDICTION | MARGINAL | SPLIT | {"gain_lost"},
    "distilled_diagonal": PREDICTION | MARGINAL | SPLIT | {"gain_lost"},
    "mixture": PREDICTION | MARGINAL | {"gain_lost"},
    "boosting": PREDICTION | MARGINAL,
}


def test_models_and_metrics(uci_result: Result) -> None:
    found = {model: {r.metric for r in uci_result.records if r.model == model} for model in uci_result.models()}
    assert found == METRICS


def test_records_are_tidy(uci_result: Result) -> None:
    keys = [(r.model, r.dataset, r.split, r.seed, r.metric) for r in uci_result.records]
    assert len(set(keys)) == len(keys) == 10 * sum(map(len, METRICS.values()))
    assert {r.split for r in uci_result.records} == {f"fold{k}" for k in range(5)}
    assert uci_result.datasets() == uci_result.config["datasets"] == ["yacht", "concrete"]


def test_the_gain_that_is_lost(uci_result: Result) -> None:
    def nll(model: str) -> float:
        return uci_result.values(model, "nll", "yacht")["fold2", 0]

    lost = uci_result.values("mixture", "gain_lost", "yacht")["fold2", 0]
    expected = (nll("mixture") - nll("ensemble")) / (nll("single") - nll("ensemble"))
    assert lost == pytest.approx(expected)


def test_published_splits_and_seeds(uci_folder: Path) -> None:
    config = replace(TINY, splits="published20", datasets=("yacht",), seeds=2, first_seed=3)
    records = uci.run(config, "none", uci_folder).records
    assert {(r.split, r.seed) for r in records} == {(f"split{k}", seed) for k in range(20) for seed in (3, 4)}


def test_every_data_set_is_kept_as_it_ends(uci_folder: Path) -> None:
    steps = uci.run_stepwise(TINY, "none", uci_folder)
    assert next(steps).datasets() == ["yacht"]
    steps.close()


def test_only_what_is_missing_is_run(uci_result: Result, uci_folder: Path) -> None:
    yacht = [r for r in uci_result.records if r.dataset == "yacht"]
    before = replace(uci_result, records=yacht, config=uci_result.config | {"datasets": ["yacht"]})
    first, second = uci.run_stepwise(TINY, "none", uci_folder, before)
    assert first is before
    assert second.records[: len(yacht)] == yacht
    timed = {"train_seconds"}
    ours, theirs = ([r for r in found.records if r.metric not in timed] for found in (second, uci_result))
    assert ours == theirs


def test_splits_are_the_same_wherever_they_run(uci_folder: Path) -> None:
    """In parts of three splits and of two: here, in two processes, and after a run that was stopped."""
    config = replace(TINY, datasets=("yacht",), together=3)
    first, here = uci.run_stepwise(config, "none", uci_folder)
    assert {record.split for record in first.records} == {"fold0", "fold1", "fold2"}
    *_, there = uci.run_stepwise(config, "none", uci_folder, engine=Engine(workers=2))
    *_, later = uci.run_stepwise(config, "none", uci_folder, first)
    assert timeless(here) == timeless(there) == timeless(later)
    assert here.config == there.config == config.as_plain()
    for name, curve in here.curves.items():
        assert np.array_equal(there.curves[name], curve), name
    assert here.curves["yacht/mixture_coverage"].shape[0] == 5
    assert here.curves["yacht/ensemble_epistemic"].shape == (63,)


def test_other_settings_are_not_mixed(uci_result: Result, uci_folder: Path) -> None:
    with pytest.raises(ValueError, match="members was 3 and now is 4"):
        next(uci.run_stepwise(replace(TINY, members=4), "none", uci_folder, uci_result))


def test_a_missing_set_is_named_before_anything_is_trained(uci_folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match="kin8nm"):
        next(uci.run_stepwise(replace(TINY, datasets=("yacht", "kin8nm")), "none", uci_folder))


def test_a_student_learns_what_its_teacher_says(tmp_path: Path) -> None:
    """A short run already shows the claim, on a set of one's own."""
    (tmp_path / "uci").mkdir()
    random = np.random.default_rng(0)
    x = random.uniform(-2, 2, (150, 1))
    np.savez(tmp_path / "uci" / "sine.npz", X=x, y=10 * np.sin(x[:, 0]) + random.normal(size=150))
    full = uci.PRESETS["converged"]
    quick = replace(full, datasets=("sine",), members=5, teacher_steps=400, student_steps=1000, pool=1000)
    result = uci.run(quick, "none", tmp_path)

    def mean(model: str, metric: str) -> float:
        found = result.estimate(model, metric)
        assert found is not None
        return found.mean

    assert mean("ensemble", "rmse") < 1.5
    for student in ("distilled", "mixture"):
        assert mean(student, "rmse") == pytest.approx(mean("ensemble", "rmse"), rel=0.25)
        assert mean(student, "kl_teacher") < mean("single", "kl_teacher")
