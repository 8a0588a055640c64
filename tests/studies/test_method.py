"""Methods from a user's file."""

from pathlib import Path

import pytest
import torch
from torch import nn

import endd
from endd.nn import MLP
from endd.objectives import DistributionDistillation, MixtureDistillation
from endd.studies.method import Method, load_method
from tests.studies.own_method import write_method

FAMILY = endd.families.Gaussian()


def test_the_page_has_a_method(tmp_path: Path) -> None:
    name, method = load_method(write_method(tmp_path), FAMILY)
    assert name == "match_moments"
    assert method.v is endd.DiagonalNormal
    v, teacher = endd.DiagonalNormal(torch.zeros(3, 2), torch.ones(3, 2)), endd.Members(torch.zeros(5, 3, 2))
    assert torch.equal(method.objective(v, teacher), torch.full((3,), 2.0))


def test_objectives_and_functions_of_the_family_are_methods_too(tmp_path: Path) -> None:
    more = """
from endd.objectives import MixtureDistillation
plain = MatchMoments()
def mixed(family):
    return Method(MixtureDistillation(family), v=endd.Point)
"""
    place = write_method(tmp_path, more).removesuffix("match_moments")
    assert load_method(place + "plain", FAMILY)[1].v is None
    assert load_method(place + "mixed", FAMILY)[1].objective == MixtureDistillation(FAMILY)


@pytest.mark.parametrize(("name", "message"), [("nothing", "to be an Objective"), ("number", "to be an Objective")])
def test_anything_else_is_named(tmp_path: Path, name: str, message: str) -> None:
    place = write_method(tmp_path, "number = 3\n").removesuffix("match_moments")
    with pytest.raises(ValueError, match=message):
        load_method(place + name, FAMILY)


@pytest.mark.parametrize("place", ["mine.py", "nowhere.py:mine", ""])
def test_a_file_that_is_not_there_is_named(place: str) -> None:
    with pytest.raises(FileNotFoundError, match=r"FILE\.py:NAME"):
        load_method(place, FAMILY)


def test_students_take_the_studys_v_or_their_own_and_a_head() -> None:
    def network(outputs: int) -> MLP:
        return MLP(3, [8], outputs)

    def head(features: int, outputs: int) -> nn.Module:
        return nn.Sequential(nn.Tanh(), nn.Linear(features, outputs))

    objective, x = DistributionDistillation(), torch.randn(4, 3)
    assert isinstance(Method(objective).student(network, FAMILY, endd.FullNormal, 6)(x), endd.FullNormal)
    own = Method(objective, endd.DiagonalNormal, head).student(network, FAMILY, endd.FullNormal, 6)
    assert isinstance(own(x), endd.DiagonalNormal)
    assert isinstance(own.head, nn.Sequential)
