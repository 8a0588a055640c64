"""Trials: the best candidate, each tried once."""

import math
from pathlib import Path

import pytest

from endd.studies.cifar10_trials import Trials, Values

LOSSES = {(0.1,): 0.5, (0.2,): 0.3, (0.3,): math.nan, (0.4,): 0.4}


def short(values: Values, epochs: int) -> float:
    return LOSSES[values]


def test_the_least_loss_wins_and_none_is_tried_twice(tmp_path: Path) -> None:
    tried: list[Values] = []

    def loss_of(values: Values, epochs: int) -> float:
        tried.append(values)
        return LOSSES[values]

    assert Trials(tmp_path).best("a", [(0.1,), (0.2,)], {5: 1}, loss_of) == (0.2,)
    assert Trials(tmp_path).best("a", [(0.3,), (0.1,), (0.2,)], {5: 1}, loss_of) == (0.2,)
    assert tried == [(0.1,), (0.2,), (0.3,)]


def test_finalists_have_a_whole_training_which_decides(tmp_path: Path) -> None:
    tried: list[tuple[float, int]] = []

    def loss_of(values: Values, epochs: int) -> float:
        tried.append((*values, epochs))
        return LOSSES[values] if epochs == 5 else -LOSSES[values]

    trials = Trials(tmp_path)
    assert trials.best("a", [*LOSSES], {5: 2, 80: 1}, loss_of) == (0.4,)
    assert tried == [(0.1, 5), (0.2, 5), (0.3, 5), (0.4, 5), (0.2, 80), (0.4, 80)]
    assert trials.found["a"]["80"] == {"0.2": -0.3, "0.4": -0.4}


@pytest.mark.parametrize("rounds", [{5: 1}, {5: 2, 80: 1}])
def test_one_candidate_needs_no_trial(rounds: dict[int, int], tmp_path: Path) -> None:
    assert Trials(tmp_path).best("a", [(0.1,)], rounds, lambda values, epochs: 1 / 0) == (0.1,)
    assert not list(tmp_path.iterdir())


def test_as_many_candidates_as_finalists_need_no_short_trial(tmp_path: Path) -> None:
    trials = Trials(tmp_path)
    assert trials.best("a", [(0.1,), (0.2,)], {5: 2, 80: 1}, short) == (0.2,)
    assert list(trials.found["a"]) == ["80"]


def test_models_do_not_share_losses(tmp_path: Path) -> None:
    Trials(tmp_path).best("a", [(0.1,), (0.2,)], {5: 1}, short)
    assert Trials(tmp_path).best("b", [(0.1, 1.0), (0.2, 0.1)], {5: 1}, lambda values, _: sum(values)) == (0.2, 0.1)


@pytest.mark.parametrize("content", ["", "{", "3"])
def test_damaged_trials_are_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "trials.json").write_text(content)
    with pytest.raises(ValueError, match=r"Expected losses of trials in .*trials\.json, but it is damaged"):
        Trials(tmp_path)
    assert (tmp_path / "trials.json").read_text() == content
