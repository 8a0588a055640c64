"""Settings are checked, and the wrong one is named."""

import pytest
import torch
from torch import nn

from endd.training.muon import Muon
from endd.training.recipe import Recipe


def parameters() -> list[nn.Parameter]:
    return [nn.Parameter(torch.zeros(2, 3, 4))]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("adam", torch.optim.Adam), ("adamw", torch.optim.AdamW), ("muon", Muon), ("sgd", torch.optim.SGD)],
)
def test_named_optimisers_take_rate_and_decay(name: str, kind: type[torch.optim.Optimizer]) -> None:
    optimiser = Recipe(optimiser=name, learning_rate=0.3, weight_decay=0.1).make_optimiser(parameters())
    assert type(optimiser) is kind
    assert (optimiser.param_groups[0]["lr"], optimiser.param_groups[0]["weight_decay"]) == (0.3, 0.1)


def test_sgd_has_nesterov_momentum() -> None:
    group = Recipe(optimiser="sgd").make_optimiser(parameters()).param_groups[0]
    assert (group["momentum"], group["nesterov"]) == (0.9, True)


def test_a_function_makes_the_optimiser() -> None:
    recipe = Recipe(optimiser=lambda tensors: torch.optim.RMSprop(tensors, lr=0.7))
    optimiser = recipe.make_optimiser(parameters())
    assert isinstance(optimiser, torch.optim.RMSprop)
    assert optimiser.param_groups[0]["lr"] == 0.7


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("epochs", 0),
        ("batch_size", 0),
        ("learning_rate", 0.0),
        ("learning_rate", float("nan")),
        ("optimiser", "lion"),
        ("schedule", "cosine"),
        ("clip", -1.0),
        ("ema", 1.0),
        ("patience", 0),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(setting: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"`{setting}`.*but got {value!r}"):
        Recipe(**{setting: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("epochs", [0, 2.5, float("nan")])
def test_epochs_are_whole(epochs: float) -> None:
    with pytest.raises(ValueError, match="`epochs` to be a whole number of at least 1"):
        Recipe(epochs=epochs)  # type: ignore[arg-type]
