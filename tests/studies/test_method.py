"""Methods from a user's file."""

import re
from pathlib import Path

import pytest
import torch
from torch import nn

import endd
from endd.nn import MLP
from endd.objectives import DistributionDistillation, MixtureDistillation
from endd.studies.cifar10_config import PRESETS
from endd.studies.cifar10_methods import methods
from endd.studies.method import Method, _try, _try_answer, load_method
from endd.studies.user_file import UserFileError
from tests.studies.own_method import PAGE, write_method

FAMILY = endd.families.Gaussian()


def load(place: str) -> tuple[str, Method]:
    return load_method(place, FAMILY, endd.FullNormal, 6, 3)


def test_the_page_has_a_method(tmp_path: Path) -> None:
    name, method = load(write_method(tmp_path))
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
    assert load(place + "plain")[1].v is None
    assert load(place + "mixed")[1].objective == MixtureDistillation(FAMILY)


MISTAKES = """
import torch
def loss(v, teacher, y=None):
    return v.mean.sum(-1)
def raising(family):
    return family.nothing
def three(family):
    return 3
number = 3
a_class = MatchMoments
module = torch.nn.Linear(2, 3)
no_objective = Method(loss)
narrow_head = Method(MatchMoments(), head=lambda features: torch.nn.Linear(features, 5))
one_head = Method(MatchMoments(), head=torch.nn.Linear(6, 5))
no_head = Method(MatchMoments(), head=lambda features, outputs: None)
wide_head = Method(MatchMoments(), head=lambda features, outputs: torch.nn.Linear(features, outputs + 1))
short_head = Method(MatchMoments(), head=lambda features, outputs: torch.nn.Linear(features + 1, outputs))
no_v = Method(MatchMoments(), v="full")
class Narrow(MatchMoments):
    def __call__(self, v):
        return v.mean.sum(-1)
narrow = Narrow()
class Summed(MatchMoments):
    def __call__(self, v, teacher, y=None):
        return v.mean.sum()
summed = Summed()
class Detached(MatchMoments):
    def __call__(self, v, teacher, y=None):
        return v.mean.sum(-1).detach()
detached = Detached()
class Infinite(MatchMoments):
    def __call__(self, v, teacher, y=None):
        return v.mean.sum(-1) / 0
infinite = Infinite()
class Steep(MatchMoments):
    def __call__(self, v, teacher, y=None):
        return (v.mean - v.mean.detach()).abs().sqrt().sum(-1)
steep = Steep()
class NoSample(torch.distributions.Distribution):
    arg_constraints = {}
    def __init__(self, mean):
        self.location = mean
        super().__init__(mean.shape[:-1], mean.shape[-1:])
    mean = property(lambda self: self.location)
    variance = property(lambda self: self.location**2 + 1)
    @classmethod
    def raw_size(cls, num_parameters):
        return num_parameters
    @classmethod
    def from_raw(cls, raw):
        return cls(raw)
no_sample = Method(MatchMoments(), v=NoSample)
class Typo(MatchMoments):
    def __call__(self, v, teacher, y=None):
        return v.maen
typo = Typo()
"""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "but there is no such name in it"),
        ("number", r"to be an Objective, .* but got 3 \(int\)"),
        ("three", r"to be an Objective, .* but got 3 \(int\)"),
        ("loss", r"line \d+, to take \(family\), but it takes \(v, teacher, y=None\)\. A loss is to be the __call__"),
        ("raising", r"function of the family that returns one, but line \d+ raised AttributeError"),
        ("a_class", r"to take \(family\), but it takes \(\)\. Name an object, such as a_class\(\)"),
        ("module", "to be a method, or a function of the family .* raised TypeError"),
        ("no_objective", "but got a Method of <function"),
        ("narrow_head", r"line \d+, to take \(features, outputs\), but it takes \(features\)"),
        ("one_head", r"to be a function \(features, outputs\) -> module, .* got the module Linear"),
        ("no_head", r"the head to return a torch.nn.Module, but got None"),
        ("wide_head", r"Expected 5 raw outputs .* of shape \(4, 6\)"),
        ("short_head", "raised RuntimeError: mat1 and mat2"),
        ("no_v", "raised AttributeError: 'str' object has no attribute"),
        ("narrow", r"the objective of 'narrow' .* to take \(v, teacher\), but it takes \(v\)"),
        ("summed", r"a loss for each example, a tensor \(2, 4\) .* got a float32 tensor of shape \(\)"),
        ("detached", "does not require grad"),
        ("infinite", "Expected finite losses for members drawn from a standard normal"),
        ("steep", "Expected finite gradients for members"),
        ("no_sample", "with a v that has a mean and can be drawn from, but it raised NotImplementedError"),
        ("typo", r"but line \d+ raised AttributeError"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, name: str, message: str) -> None:
    place = write_method(tmp_path, MISTAKES).replace("match_moments", name)
    with pytest.raises(UserFileError, match=message) as raised:
        load(place)
    assert len(str(raised.value).splitlines()) == 1
    assert str(tmp_path / "mine.py") in str(raised.value)


@pytest.mark.parametrize("kind", methods(PRESETS["smoke"]))
def test_a_trial_refuses_no_method_of_the_studies(kind: str) -> None:
    config = PRESETS["smoke"]
    method = methods(config)[kind]
    _try_answer(_try(Method(method.objective, method.form), method.family, endd.Point, 8, config.members))


def test_a_trial_draws_no_random_numbers(tmp_path: Path) -> None:
    place, before = write_method(tmp_path), torch.random.get_rng_state()
    load(place)
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize(
    ("place", "told"),
    [("mine.py", "Put a colon"), ("", "Put a colon"), ("mine.py:", "Put a colon"), ("nowhere.py:mine", "no file 'now")],
)
def test_a_place_that_is_none_is_named(place: str, told: str) -> None:
    with pytest.raises((FileNotFoundError, ValueError), match=rf"FILE\.py:NAME, .* {told}"):
        load(place)


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


def test_the_page_has_a_v_and_a_head(tmp_path: Path) -> None:
    _, second = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(second.splitlines()) < 40
    (tmp_path / "page.py").write_text(second)
    _, method = load(f"{tmp_path / 'page.py'}:laplace")
    student = method.student(lambda outputs: MLP(3, [8], outputs), FAMILY, endd.FullNormal, 6)
    assert student.predict(torch.randn(4, 3)).epistemic.shape == (4,)
