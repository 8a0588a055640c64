"""Groups of members learn the same wherever they are trained."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import endd
from endd.engines import Engine
from endd.families import Family, Gaussian
from endd.nn import MLP
from endd.training.groups import fit_in_groups
from endd.training.losses import nll

X = torch.linspace(-1, 1, 40).reshape(20, 2)
SETTINGS: dict[str, Any] = {"epochs": 3, "batch_size": 8, "progress": "none"}


def ensemble(members: int = 5) -> endd.Ensemble:
    torch.manual_seed(0)
    return endd.Ensemble([MLP(2, [4], 2) for _ in range(members)], Gaussian())


def fitted(**options: Any) -> dict[str, Tensor]:
    model = ensemble()
    fit_in_groups(model, (X, X.sum(1)), 2, **{**SETTINGS, **options})
    return dict(model.state_dict())


class KilledOnce:
    """A loss that kills its process the first time."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __call__(self, family: Family, z: Tensor, y: Tensor) -> Tensor:
        if not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return nll(family, z, y)


def test_every_member_learns_and_engines_agree() -> None:
    here, there, before = fitted(), fitted(engine=Engine(workers=2)), dict(ensemble().state_dict())
    assert all(torch.equal(here[name], there[name]) for name in here)
    assert not any(torch.equal(here[name], before[name]) for name in here)


def test_a_group_whose_worker_dies_is_trained_by_another(tmp_path: Path) -> None:
    mark = tmp_path / "killed"
    found = fitted(engine=Engine(workers=2), loss=KilledOnce(mark), run=tmp_path / "run")
    assert mark.exists()
    assert all(torch.equal(found[name], kept) for name, kept in fitted().items())
    assert {folder.name for folder in (tmp_path / "run").iterdir()} == {"group0", "group1"}


@pytest.mark.parametrize("groups", [0, 6])
def test_too_few_and_too_many_groups_are_named(groups: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 5 groups"):
        fit_in_groups(ensemble(), (X, X.sum(1)), groups, **SETTINGS)
