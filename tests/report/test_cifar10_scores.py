"""Scores by what they are of."""

import math

import numpy as np
import pytest

from endd.report.cifar10_scores import Scores, mean, over_repeats, paired, severity_of
from endd.studies.result import Record, Result


def scores() -> Scores:
    sets = {"clean": 0.0, "fog-1": 1.0, "fog-2": 2.0, "snow-1": 3.0, "snow-2": 6.0}
    records = [
        Record("ensemble", name, "test", seed, "nll", value + seed) for name, value in sets.items() for seed in (0, 2)
    ]
    return Scores(Result("cifar10", {}, {}, [*records, Record("ensemble", "svhn", "test", 0, "auroc_total", 0.9)]))


def test_sets_by_severity() -> None:
    assert scores().sets == {0: ["clean"], 1: ["fog-1", "snow-1"], 2: ["fog-2", "snow-2"]}
    assert scores().severities == [1, 2]


def test_a_name_with_a_dash_is_no_severity() -> None:
    assert severity_of("svhn-cropped") is None
    assert severity_of("7") is None


def test_means_are_over_repeats() -> None:
    found = scores()
    assert found.mean("ensemble", "nll") == 1
    np.testing.assert_allclose(found.by_set("ensemble", "nll", 1), [2, 4])
    np.testing.assert_allclose(found.by_set("ensemble", "nll", 0), [1])
    assert found.median("ensemble", "nll") == 3.5
    assert found.quartiles("ensemble", "nll", 2) == (4, 5, 6)


def test_each_repeat_has_its_mean_over_the_corrupted_sets() -> None:
    assert scores().over_corrupted("ensemble", "nll") == {0: 3, 2: 5}


def test_what_is_missing() -> None:
    found = scores()
    assert math.isnan(found.mean("single", "nll"))
    assert math.isnan(found.median("single", "nll", 1))
    assert math.isnan(found.median("ensemble", "nll", 5))
    assert found.over_corrupted("single", "nll") == found.values("single", "nll", "clean") == {}
    assert math.isnan(mean({}))
    assert over_repeats({}) is paired({0: 1.0}, {1: 1.0}) is None
    assert found.has("ensemble", "nll")
    assert not found.has("ensemble", "brier")


def test_pairs_are_of_one_repeat() -> None:
    gap = paired({0: 1.0, 1: 2.0, 5: 9.0}, {1: 1.0, 0: 0.0})
    assert gap is not None
    assert (gap.mean, gap.count) == (1, 2)
    assert gap.half_width == pytest.approx(0)
