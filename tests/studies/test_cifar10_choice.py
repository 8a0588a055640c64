"""Repeats as one result, and the better form of student under its name."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from endd.studies.cifar10_choice import CHOSEN_BY, chosen, joined, unchosen
from endd.studies.result import Record, Result
from tests.studies.small_pictures import TINY


def repeat(seed: int, **nll: float) -> Result:
    """A repeat with the candidates' scores on validation images."""
    records = [Record(f"distilled_{name}", "validation", "test", seed, "nll", value) for name, value in nll.items()]
    records.append(Record("ensemble", "clean", "test", seed, "train_seconds", 10.0 + seed))
    curves = {f"distilled_{name}/risk/clean": np.full((1, 3), seed) for name in nll}
    curves |= {f"distilled_{name}/epistemic/clean": np.full((1, 4), seed) for name in nll}
    return Result("cifar10", TINY.as_plain(), {}, records, curves)


def test_the_mean_over_repeats_decides() -> None:
    """The first repeat alone would choose the other one."""
    first, second = repeat(0, diagonal=1.0, low_rank=1.1), repeat(1, diagonal=1.4, low_rank=1.2)
    assert chosen(joined(TINY, [first])).config["chosen"]["model"] == "distilled_diagonal"
    both = chosen(joined(TINY, [first, second]))
    found = both.config["chosen"]
    assert (found["model"], found["by"]) == ("distilled_low_rank", "nll")
    assert found["validation"]["distilled_diagonal"]["nll"] == pytest.approx(1.2)
    assert set(both.models()) == {"distilled", "distilled_diagonal", "ensemble"}
    assert both.values("distilled", "nll", "validation") == {("test", 0): 1.1, ("test", 1): 1.2}


def test_curves_are_renamed_with_their_model() -> None:
    result = chosen(joined(TINY, [repeat(n, diagonal=2.0, low_rank=1.0) for n in (0, 1)]))
    assert result.curves["distilled/risk/clean"].tolist() == [[0] * 3, [1] * 3]
    assert result.curves["distilled_diagonal/epistemic/clean"].tolist() == [0] * 4  # of the first repeat
    assert not any(name.startswith("distilled_low_rank") for name in result.curves)


def test_one_candidate_alone_keeps_its_name_and_can_be_joined_later() -> None:
    first = chosen(joined(TINY, [repeat(0, diagonal=1.0)]))
    assert "chosen" not in first.config
    assert {*first.models()} == {"distilled_diagonal", "ensemble"}
    assert first.curves["distilled_diagonal/epistemic/clean"].tolist() == [0] * 4
    assert {"coverage", "fpr"} < {*first.curves}
    both = chosen(joined(TINY, [unchosen(first), repeat(0, low_rank=0.9)]))
    assert both.config["chosen"]["model"] == "distilled_low_rank"
    assert both.curves["distilled_diagonal/risk/clean"].tolist() == [[0] * 3]


def test_curves_of_models_whose_numbers_are_gone_go_too() -> None:
    """Of one repeat or of all: nothing tells which repeat a curve is of."""
    both = unchosen(chosen(joined(TINY, [repeat(0, diagonal=1.0), repeat(1, diagonal=1.0)])))
    both = replace(both, curves=both.curves | {"reference/risk/clean": np.zeros((2, 3))})
    for gone, model in (({0}, "distilled_diagonal"), ({0, 1}, "distilled_diagonal"), ({1}, "ensemble")):
        less = replace(both, records=[r for r in both.records if r.model != model or r.seed not in gone])
        role = {"ensemble": "reference"}.get(model, model)
        assert f"{role}/risk/clean" in joined(TINY, [both]).curves
        assert f"{role}/risk/clean" not in joined(TINY, [less]).curves


def test_repeats_are_counted_and_their_time_is_told() -> None:
    first = repeat(3, diagonal=1.0)
    alike = ("single", "temperature", "single_symmetric", "ensemble_symmetric")  # these are the ensemble's members
    first.records.extend(Record(model, "clean", "test", 3, "train_seconds", 9.0) for model in alike)
    result = joined(replace(TINY, seeds=9), [first, repeat(4, diagonal=1.0)])
    assert (result.config["seeds"], result.config["first_seed"]) == (2, 3)
    assert result.environment["training"] == "14 s a repeat"


def test_a_choice_can_be_taken_back(cifar10_study: tuple[Path, Result]) -> None:
    result = cifar10_study[1]
    before = unchosen(result)
    assert {"distilled_diagonal", "distilled_low_rank"} < {*before.models()}
    assert "distilled" not in before.models()
    assert "chosen" not in before.config
    again = chosen(before)
    assert (again.records, again.config) == (result.records, result.config)
    assert {*again.curves} == {*result.curves}
    for name, curve in result.curves.items():
        assert np.array_equal(again.curves[name], curve)


def test_the_study_chose_by_its_validation_images(cifar10_study: tuple[Path, Result]) -> None:
    result = cifar10_study[1]
    found = result.config["chosen"]
    (other,) = {"distilled_diagonal", "distilled_low_rank"} - {found["model"]}
    ours, theirs = (result.estimate(name, "nll", "validation") for name in ("distilled", other))
    assert ours is not None
    assert theirs is not None
    assert ours.mean <= theirs.mean
    assert found["validation"][other]["nll"] == theirs.mean
    assert found["validation"][found["model"]]["nll"] == ours.mean
    assert all(math.isfinite(found["validation"][other][metric]) for metric in CHOSEN_BY)
