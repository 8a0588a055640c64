"""Options find their place, and TensorBoard reads what a run tells."""

from pathlib import Path

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import endd
from endd.nn import MLP
from endd.training import fit_ensemble
from endd.training.watch import Watch, recipe_and_watch


def test_options_override_defaults_and_find_their_place() -> None:
    recipe, watch = recipe_and_watch({"seed": 5, "epochs": 2, "progress": "none"}, epochs=300, batch_size=7)
    assert (recipe.seed, recipe.epochs, recipe.batch_size) == (5, 2, 7)
    assert watch == Watch(progress="none")


def test_an_unknown_option_is_named_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'learning_rate'.*'resume'.*but got 'lr'"):
        recipe_and_watch({"lr": 0.1})


@pytest.mark.parametrize("name", ["resume", "tensorboard"])
def test_what_needs_a_folder_says_so(name: str) -> None:
    with pytest.raises(ValueError, match=f"a folder `run` with {name}=True"):
        Watch(**{name: True})  # type: ignore[arg-type]


def test_a_run_folder_that_cannot_be_made_is_refused_before_training(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(NotADirectoryError, match=r"is a file\. Choose another run folder"):
        Watch(run=tmp_path / "file" / "run").folder({})
    assert (tmp_path / "file").read_text() == "mine"


def test_no_pieces_are_refused() -> None:
    with pytest.raises(ValueError, match="`accumulate` of at least 1"):
        Watch(accumulate=0)


def test_a_batch_in_pieces_teaches_the_same() -> None:
    x = torch.linspace(-1, 1, 40).reshape(20, 2)

    def fit(**options: int) -> endd.Ensemble:
        torch.manual_seed(0)
        ensemble = endd.Ensemble([MLP(2, [4], 2) for _ in range(2)], endd.families.Gaussian())
        fit_ensemble(ensemble, (x, x.sum(1)), epochs=3, batch_size=9, progress="none", **options)  # type: ignore[arg-type]
        return ensemble

    whole, pieces = fit(), fit(accumulate=4)
    torch.testing.assert_close(dict(pieces.state_dict()), dict(whole.state_dict()), rtol=1e-4, atol=1e-6)


def test_tensorboard_reads_the_metrics_also_of_a_run_that_goes_on(tmp_path: Path) -> None:
    x = torch.linspace(-1, 1, 40).reshape(20, 2)

    def fit(progress: str = "none", **options: bool) -> list[float]:
        torch.manual_seed(0)
        ensemble = endd.Ensemble([MLP(2, [4], 2) for _ in range(2)], endd.families.Gaussian())
        history = fit_ensemble(
            ensemble, (x, x.sum(1)), run=tmp_path / "run", epochs=3, progress=progress, tensorboard=True, **options
        )
        return history.loss

    losses = fit()
    (tmp_path / "run" / "checkpoint.pt").unlink()
    assert fit(resume=True) == losses
    events = EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    events.Reload()
    scalars = events.Scalars("loss")
    assert [event.step for event in scalars] == [1, 2, 3]
    assert [event.value for event in scalars] == pytest.approx(losses)
