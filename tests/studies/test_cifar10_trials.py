"""Trials: the best candidate, each tried once."""

import math
from pathlib import Path

from endd.studies.cifar10_trials import Trials, Values

LOSSES = {(0.1,): 0.5, (0.2,): 0.3, (0.3,): math.nan}


def test_the_least_loss_wins_and_none_is_tried_twice(tmp_path: Path) -> None:
    tried: list[Values] = []

    def loss_of(value: Values) -> float:
        tried.append(value)
        return LOSSES[value]

    assert Trials(tmp_path).best("a", [(0.1,), (0.2,)], loss_of) == (0.2,)
    assert Trials(tmp_path).best("a", [(0.3,), (0.1,), (0.2,)], loss_of) == (0.2,)
    assert tried == [(0.1,), (0.2,), (0.3,)]


def test_one_candidate_needs_no_trial(tmp_path: Path) -> None:
    assert Trials(tmp_path).best("a", [(0.1,)], lambda values: 1 / 0) == (0.1,)
    assert not list(tmp_path.iterdir())


def test_models_do_not_share_losses(tmp_path: Path) -> None:
    Trials(tmp_path).best("a", [(0.1,), (0.2,)], LOSSES.__getitem__)
    assert Trials(tmp_path).best("b", [(0.1, 1.0), (0.2, 0.1)], sum) == (0.2, 0.1)
