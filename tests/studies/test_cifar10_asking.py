"""Every model is asked about every set."""

from typing import Any

import numpy as np
import pytest
import torch

from endd.calibration import fit_temperature
from endd.models import Ensemble
from endd.studies import cifar10_asking
from endd.studies.cifar10_asking import TIMED, Asking
from endd.studies.cifar10_images import load_pictures
from endd.studies.cifar10_methods import students
from endd.studies.cifar10_outputs import Outputs, raw_outputs
from endd.studies.cifar10_training import Workshop, on
from tests.studies.small_pictures import TINY, use_small_pictures

SETS = ["clean", "brightness-1", "svhn"]


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Asking:
    config, out = on(TINY, "cpu"), tmp_path_factory.mktemp("asking")
    with pytest.MonkeyPatch.context() as patch:
        use_small_pictures(patch, out / "cache")
        pictures = load_pictures(config, None, torch.device("cpu"))
        workshop = Workshop(config, pictures, out, "none")
        workshop.members(0)
        workshop.students(0)
    return Asking(config, workshop, pictures, None)


@pytest.fixture
def outputs(asking: Asking, small_pictures: None) -> Outputs:
    return asking.all_about(0)


def test_all_models_on_all_sets(outputs: Outputs) -> None:
    assert list(outputs.raw) == ["ensemble", *students(TINY)["students"]]
    assert all(list(found) == SETS for found in outputs.raw.values())
    assert outputs.raw["ensemble"]["svhn"].shape == (TINY.test_rows, TINY.members, 10)
    assert {*outputs.validation} == {"ensemble", *students(TINY)["students"]}


def test_temperatures_are_fitted_on_validation_images(asking: Asking, outputs: Outputs) -> None:
    pictures = asking.pictures
    z = torch.as_tensor(raw_outputs(asking.workshop.members(0), pictures.x_validation)).float()
    expected = [fit_temperature(z[:, place], pictures.y_validation) for place in range(TINY.members)]
    assert np.allclose(outputs.temperatures, expected)


def test_validation_scores_are_those_of_validation_images(asking: Asking, outputs: Outputs) -> None:
    prediction = asking.workshop.members(0).predict(asking.pictures.x_validation)
    nll = -prediction.log_prob(asking.pictures.y_validation).mean().item()
    assert outputs.validation["ensemble"]["nll"] == pytest.approx(nll, rel=1e-3)  # from half precision


def test_parameters_are_counted(asking: Asking, outputs: Outputs) -> None:
    count = sum(p.numel() for p in asking.workshop.members(0).parameters())
    assert outputs.facts["ensemble"]["parameters"] == count
    assert outputs.facts["mixture"]["parameters"] == count / TINY.members
    assert "parameters" not in outputs.facts["single"]


def test_answers_are_timed(outputs: Outputs) -> None:
    for model in ("ensemble", "mixture", "distilled_low_rank"):
        assert all(outputs.facts[model][f"ms_a_row@{size}"] > 0 for size in TIMED)


def test_an_ensemble_is_asked_once(asking: Asking, small_pictures: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its neighbours need what it says, too."""
    asking.all_about(0)
    asked: list[Any] = []

    def note(model: Any, *given: Any) -> Any:
        asked.append(type(model))
        return raw_outputs(model, *given)

    monkeypatch.setattr(cifar10_asking, "raw_outputs", note)
    asking.all_about(0)
    assert asked.count(Ensemble) == 2  # about validation images alone: for temperatures and for scores


@pytest.mark.parametrize(
    ("there", "neighbours"),
    [({0}, {0: None}), ({0, 1, 2}, {0: 1, 1: 0, 2: 1}), ({4, 5}, {4: 5, 5: 4})],
)
def test_the_reference_is_the_repeat_before_or_after_the_first(
    asking: Asking, there: set[int], neighbours: dict[int, int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking.workshop, "has_members", lambda seed: seed in there)
    assert {seed: asking._neighbour(seed) for seed in there} == neighbours


def test_it_says_what_it_does(
    asking: Asking, small_pictures: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(asking.workshop, "progress", "lines")
    asking.all_about(0)
    said = capsys.readouterr().err
    assert "distilled_paper about 32 images of every set" in said
    assert "models: set 3/3" in said
