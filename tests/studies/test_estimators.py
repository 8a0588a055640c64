"""The estimators as they come, from end to end at the smallest."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss

from endd.studies.estimators import DATASETS, Config, boosting, load, run_stepwise, split
from endd.studies.result import Result

TINY = Config(datasets=("wine", "yacht"), splits=2, members=3, epochs=3, student_epochs=3)


def test_models_and_metrics(estimators_result: Result) -> None:
    assert estimators_result.datasets() == ["wine", "yacht"]
    assert {*estimators_result.models()} == {"single", "ensemble", "distilled", "boosting"}
    found = {(r.dataset, r.metric) for r in estimators_result.records if r.model == "distilled"}
    assert {("wine", "nll"), ("wine", "accuracy"), ("yacht", "nll"), ("yacht", "rmse")} <= found
    assert {("yacht", "gain_lost"), ("yacht", "epistemic_spearman"), ("wine", "train_seconds")} <= found
    assert {record.split for record in estimators_result.records} == {"split0", "split1"}


def test_it_goes_on_where_it_stopped(estimators_result: Result, uci_folder: Path) -> None:
    wine = [record for record in estimators_result.records if record.dataset == "wine"]
    before = replace(estimators_result, records=wine, config=estimators_result.config | {"datasets": ["wine"]})
    first, second = run_stepwise(TINY, "none", uci_folder, before)
    assert first is before
    kept = [r for r in second.records if r.metric != "train_seconds"]
    assert kept == [r for r in estimators_result.records if r.metric != "train_seconds"]


@pytest.mark.parametrize("name", ["wine", "yacht"])
def test_splits_hold_out_a_share_and_differ(name: str, uci_folder: Path) -> None:
    config = replace(TINY, datasets=(name,))
    X, y = load(name, uci_folder)
    pairs = [split(X, y, config, number) for number in range(2)]
    for train, test in pairs:
        assert sorted([*train, *test]) == list(range(len(y)))
        assert len(test) == pytest.approx(0.2 * len(y), abs=1)
    assert not np.array_equal(pairs[0][1], pairs[1][1])
    if name == "wine":
        shares = [np.bincount(y[test]) / len(test) for _, test in pairs]
        assert np.allclose(shares, np.bincount(y) / len(y), atol=0.05)


def test_boosting_is_scikit_learns() -> None:
    X, y = load("wine")
    train, test = np.arange(0, 178, 2), np.arange(1, 178, 2)
    expected = HistGradientBoostingClassifier(random_state=4).fit(X[train], y[train]).predict_proba(X[test])
    found = boosting(X, y, train, test, classes=True, seed=4)
    assert found["nll"] == pytest.approx(log_loss(y[test], expected))


def test_an_unknown_set_is_named() -> None:
    with pytest.raises(ValueError, match="digits"):
        Config(datasets=("iris",))
    assert len(DATASETS) == 8
