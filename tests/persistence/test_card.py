"""Model cards."""

from typing import Any

import yaml

import endd
from endd.calibration import TemperatureScaling
from endd.nn import MLP
from endd.persistence.card import model_card


def head(card: str) -> Any:
    return yaml.safe_load(card.split("---")[1])


def test_a_student() -> None:
    family = endd.families.Categorical(3)
    student = endd.Student(MLP(3, [4], 3), family, endd.Dirichlet).attach(TemperatureScaling(1.5))
    card = model_card(student, "me/flowers")
    assert head(card) == {"library_name": "endd", "tags": ["uncertainty", "distillation"]}
    assert "\n# flowers\n" in card
    assert 'endd.from_pretrained("me/flowers")\n' in card
    assert "| says of its parameters | `Dirichlet` |" in card
    assert "| attached: temperature | `TemperatureScaling(value=1.5)` |" in card
    assert "| parameters | 31 |" in card
    assert "replace its ensemble" not in card


def test_an_ensemble_of_ones_own_networks_and_an_estimator(classifier: Any) -> None:
    import torch

    card = model_card(endd.Ensemble([torch.nn.Linear(3, 2)], endd.families.Gaussian()), "folder/model")
    assert "An ensemble of 1 networks" in card
    assert "with net=" in card
    card = model_card(classifier, "me/sizes")
    assert "tabular-classification" in head(card)["tags"]
    assert "| classes | low, middle, top |" in card
    assert "predict_uncertainty" in card


def test_a_fidelity_table_is_below_its_heading() -> None:
    student = endd.Student(MLP(3, [4], 5), endd.families.Gaussian())
    card = model_card(student, "me/prices", "# Student and ensemble\n\n**Yes.**\n\n## Cost\n\n| a | b |\n")
    assert "## May it replace its ensemble?\n\n**Yes.**\n\n### Cost\n\n| a | b |" in card
    assert "# Student and ensemble" not in card
