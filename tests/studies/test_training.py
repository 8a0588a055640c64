"""What the trainings of all studies share."""

import pytest
import torch

from endd.families import Gaussian
from endd.models import Ensemble
from endd.nn import MLP
from endd.studies.training import epochs_for, options, say, seeded, timed
from endd.training import Recipe
from endd.training.tables import Order


def build() -> Ensemble:
    return Ensemble([MLP(1, [3], 2)], Gaussian())


def test_a_seed_is_a_model_and_nothing_else_changes() -> None:
    before = torch.random.get_rng_state()
    first, same, other = (next(seeded(seed, build).parameters()) for seed in (1, 1, 2))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_options_are_the_recipe_under_a_seed() -> None:
    assert Recipe(**options(Recipe(epochs=7), seed=5)) == Recipe(epochs=7, seed=5)


@pytest.mark.parametrize(("steps", "rows", "batch"), [(1000, 246, 100), (1000, 8600, 100), (5, 30, 64), (1, 1000, 10)])
def test_epochs_take_at_least_the_steps(steps: int, rows: int, batch: int) -> None:
    epochs, per_epoch = epochs_for(steps, rows, batch), Order([rows], [0], batch).steps()
    assert epochs * per_epoch >= steps > (epochs - 1) * per_epoch


def test_the_time_stands_when_the_block_has_ended() -> None:
    with timed() as timer:
        assert timer.seconds == 0
    assert timer.seconds > 0


def test_silence_is_possible(capsys: pytest.CaptureFixture[str]) -> None:
    say("one", "none")
    say("two", "lines")
    assert capsys.readouterr().err == "two\n"
