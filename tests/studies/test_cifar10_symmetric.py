"""Networks of the CIFAR-10 study that look at mirror images too."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from endd.models import Ensemble, Student
from endd.nn import ResNet
from endd.persistence import load
from endd.studies.cifar10 import run_stepwise
from endd.studies.cifar10_groups import names_of, workshop_of
from endd.studies.cifar10_images import load_pictures, on_device
from endd.studies.cifar10_symmetric import SymmetricWorkshop
from endd.studies.cifar10_training import on
from tests.studies.small_pictures import TINY

CONFIG = on(replace(TINY, groups=("symmetric",)), "cpu")
MEMBERS = {"single_symmetric", "ensemble_symmetric"}


@pytest.fixture
def workshop(small_pictures: None, tmp_path: Path) -> SymmetricWorkshop:
    pictures = load_pictures(CONFIG, None, torch.device("cpu"))
    found = workshop_of("symmetric", CONFIG, pictures, tmp_path, "none", ())
    assert isinstance(found, SymmetricWorkshop)
    return found


def by_hand(folder: Path) -> float:
    """The mean nll of the members, each asked about the test images and their mirror images."""
    pictures = load_pictures(CONFIG, None, torch.device("cpu"))
    x, y = on_device(pictures.x_test, torch.device("cpu")), torch.as_tensor(pictures.y_test).long()
    losses = []
    for member in load(folder / "members" / "0").float().eval().members:
        logits = (member(x) + member(x.flip(-1))) / 2
        losses.append(torch.nn.functional.cross_entropy(logits, y).item())
    return sum(losses) / len(losses)


def test_the_members_are_asked_as_they_are_about_both_sides(workshop: SymmetricWorkshop) -> None:
    x = torch.randint(0, 256, (4, 3, 32, 32), dtype=torch.uint8)
    models, members = workshop.students(0), workshop.members(0)
    both, student = models["ensemble_symmetric"], models["distilled_symmetric"]
    assert isinstance(both, Ensemble)
    expected = (members.predict(x).v.atoms + members.predict(x.flip(-1)).v.atoms) / 2
    torch.testing.assert_close(both.predict(x).v.atoms, expected, rtol=1e-4, atol=1e-5)
    assert isinstance(student, Student)
    assert isinstance(student.net, ResNet)
    assert student.net.symmetric
    taken = workshop.seconds(0)
    assert [taken[name] for name in sorted(MEMBERS)] == [taken["ensemble"], taken["single"]]


def test_nothing_is_trained_where_the_members_alone_are_wanted(workshop: SymmetricWorkshop) -> None:
    workshop.only(MEMBERS)
    assert workshop.has_students(0)
    assert {*workshop.students(0)} == {"ensemble_symmetric"}
    assert {*workshop.seconds(0)} >= MEMBERS
    assert not (workshop.out / "symmetric").exists()


def test_the_student_alone(workshop: SymmetricWorkshop) -> None:
    assert {*workshop.only({"distilled_symmetric"}).students(0)} == {"distilled_symmetric"}


@pytest.mark.parametrize("models", [("distilled_symmetric",), ("ensemble_symmetric", "single_symmetric")])
def test_what_is_not_wanted_at_first_can_come_later(
    models: tuple[str, ...], small_pictures: None, tmp_path: Path
) -> None:
    *_, first = run_stepwise(replace(CONFIG, models=models), tmp_path, "none", device="cpu")
    every = {*MEMBERS, "distilled_symmetric"}
    assert {*first.models()} & every == {*models}
    *_, both = run_stepwise(CONFIG, tmp_path, "none", device="cpu", before=first)
    assert {*both.models()} >= every
    for name in every:
        assert both.values(name, "nll", "brightness-1")


@pytest.mark.parametrize("models", [(), ("ensemble_symmetric", "single_symmetric")])
def test_rows_of_the_study(models: tuple[str, ...], small_pictures: None, tmp_path: Path) -> None:
    config = replace(CONFIG, models=models)
    *_, result = run_stepwise(config, tmp_path, "none", device="cpu")
    assert {*result.models()} >= names_of("symmetric", config) == ({*models} or {*MEMBERS, "distilled_symmetric"})
    assert result.values("single_symmetric", "nll", "clean")[("test", 0)] == pytest.approx(by_hand(tmp_path), rel=1e-4)
    assert not result.values("single_symmetric", "kl_teacher", "clean")
    assert result.values("ensemble_symmetric", "kl_teacher", "clean")
    *_, again = run_stepwise(config, tmp_path, "none", device="cpu", before=result)
    assert {*again.models()} == {*result.models()}
