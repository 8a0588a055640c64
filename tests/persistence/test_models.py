"""Students and ensembles of every kind come back to the last bit."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import endd
from endd.families import Bernoulli, Categorical, Family, Gaussian, Poisson
from endd.nn import MLP
from endd.persistence import ModelFolderError
from endd.persistence.models import ensemble_from_plain, ensemble_to_plain, student_from_plain, student_to_plain

PAIRS: list[tuple[Family, Any]] = [
    (Gaussian().in_units(100.0, 3.0), None),
    (Gaussian(), endd.DiagonalNormal),
    (Gaussian(), endd.Point),
    (Gaussian(), endd.Members.of(size=3)),
    (Categorical(3), endd.Members.of(size=2)),
    (Categorical(4), None),
    (Categorical(3), endd.Dirichlet),
    (Bernoulli(), None),
    (Poisson(), None),
]
X = torch.randn(9, 3, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(("family", "v"), PAIRS)
def test_students(family: Family, v: Any) -> None:
    student = endd.Student(MLP(3, [5], endd.num_outputs(family, v)), family, v)
    again = student_from_plain(*student_to_plain(student))
    assert again.family == family
    assert again.form == student.form
    assert not again.training
    for part in ("total", "epistemic"):
        assert torch.equal(getattr(again.predict(X), part), getattr(student.predict(X), part))


def test_a_student_with_a_head_on_a_network_of_ones_own() -> None:
    student = endd.Student(nn.Sequential(nn.Linear(3, 6), nn.ReLU()), Gaussian(), features=6)
    plain, state = student_to_plain(student)
    before = torch.random.get_rng_state()
    again = student_from_plain(plain, state, nn.Sequential(nn.Linear(3, 6), nn.ReLU()))
    torch.random.set_rng_state(before)
    assert torch.equal(again.predict(X).total, student.predict(X).total)
    with pytest.raises(ModelFolderError, match=r"bias: \(5,\) float32 against \(5, 1\) float32"):
        student_from_plain(plain, state | {"head.bias": torch.zeros(5, 1)}, nn.Sequential(nn.Linear(3, 6), nn.ReLU()))


@pytest.mark.parametrize("weights", [None, torch.tensor([0.5, 0.25, 0.25])])
@pytest.mark.parametrize("mixed", [False, True])
def test_ensembles(weights: Any, mixed: bool) -> None:
    nets = [MLP(3, [4 + number * mixed], 2) for number in range(3)]
    ensemble = endd.Ensemble(nets, Gaussian(), stacking="loop", weights=weights)
    plain, state = ensemble_to_plain(ensemble)
    again = ensemble_from_plain(plain, state)
    assert len(plain["members"]) == (3 if mixed else 1)
    assert again.stacking == "loop"
    assert torch.equal(again.predict(X).epistemic, ensemble.predict(X).epistemic)


def test_an_ensemble_of_ones_own_networks() -> None:
    ensemble = endd.Ensemble([nn.Linear(3, 2) for _ in range(3)], Gaussian(), output=None)
    plain, state = ensemble_to_plain(ensemble)
    again = ensemble_from_plain(plain, state, [nn.Linear(3, 2) for _ in range(3)])
    assert torch.equal(again.predict(X).total, ensemble.predict(X).total)
    with pytest.raises(ValueError, match="a list of 3 networks, one for each member, but got 1"):
        ensemble_from_plain(plain, state, nn.Linear(3, 2))


def test_a_function_cannot_be_saved() -> None:
    student = endd.Student(MLP(3, [5], 5), Gaussian(), output=lambda result: result)
    with pytest.raises(TypeError, match="Expected `output` to be a key, an attribute or an index"):
        student_to_plain(student)


def test_a_description_that_does_not_fit_is_refused() -> None:
    plain, state = student_to_plain(endd.Student(MLP(3, [5], 5), Gaussian()))
    with pytest.raises(ModelFolderError, match=r"Expected 2 outputs .* but the network has 5"):
        student_from_plain(plain | {"v": {"name": "Point"}}, state)
    many = {"name": "Categorical", "num_classes": 10**12, "reference": None}
    with pytest.raises(ModelFolderError, match="but the network has 5"):
        student_from_plain(plain | {"family": many, "v": {"name": "Dirichlet"}}, state)
    plain, state = ensemble_to_plain(endd.Ensemble([MLP(3, [5], 2)], Gaussian()))
    with pytest.raises(ModelFolderError, match="tensors for 1000000000 members"):
        ensemble_from_plain(plain | {"size": 10**9}, state)


def test_one_network_is_not_filled_with_several_members(tmp_path: Path) -> None:
    def own() -> nn.Module:
        return nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3))

    ensemble = endd.Ensemble([own() for _ in range(4)], Categorical(3))
    endd.save(ensemble, tmp_path / "model")
    with pytest.raises(ValueError, match=r"got some of them twice\. Build each anew"):
        endd.load(tmp_path / "model", net=[own()] * 4)
    x = torch.randn(5, 3)
    again = endd.load(tmp_path / "model", net=[own() for _ in range(4)])
    assert torch.equal(again.predict(x).probs, ensemble.predict(x).probs)
