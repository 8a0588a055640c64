"""The students of the CIFAR-10 study."""

import pytest
import torch

import endd
from endd.distributions import Dirichlet, LiftedNormal, Members, ModuloShift, Point, TemperedPoint
from endd.nn import DenseNet, ResNet
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_methods import CANDIDATES, FAMILY, PAPER_FAMILY, methods, students
from endd.studies.cost import multiply_adds
from tests.studies.small_pictures import TINY

SAID = {
    "mixture": Point,
    "temperature_control": TemperedPoint,
    "dirichlet": Dirichlet,
    "distilled_diagonal": ModuloShift,
    "distilled_low_rank": ModuloShift,
    "distilled_paper": LiftedNormal,
    "hydra": Members,
    "proxy_dirichlet": Dirichlet,
    "dirichlet_plain": Dirichlet,
    "distilled_dense": ModuloShift,
    "distilled_symmetric": ModuloShift,
    "distilled_long": ModuloShift,
    "distilled_ood": ModuloShift,
    "distilled_warm": ModuloShift,
    "distilled_late": ModuloShift,
}


def test_all_are_there() -> None:
    assert set(methods(TINY)) == set(SAID) >= set(CANDIDATES)


@pytest.mark.parametrize("name", SAID)
def test_what_each_says_of_an_image(name: str) -> None:
    student = methods(TINY)[name].student(TINY)
    prediction = student.predict(torch.randint(0, 256, (4, 3, 32, 32), dtype=torch.uint8))
    assert isinstance(prediction.v, SAID[name])
    assert prediction.probs.shape == (4, 10)
    torch.testing.assert_close(prediction.probs.sum(-1), torch.ones(4))


def test_the_dense_student_has_no_more_parameters_than_a_member() -> None:
    config = Config()
    student = methods(config)["distilled_dense"].student(config).eval()
    member = endd.Student(ResNet(config.depth, 10, config.width), FAMILY, endd.Point).eval()
    assert isinstance(student.net, DenseNet)
    parameters = [sum(p.numel() for p in model.parameters()) for model in (student, member)]
    assert 0.95 < parameters[0] / parameters[1] <= 1
    image = torch.zeros(1, 3, 32, 32)
    assert multiply_adds(student, image) / multiply_adds(member, image) == pytest.approx(1.5, abs=0.05)


def test_the_symmetric_student_is_the_low_rank_one_for_twice_the_work() -> None:
    config, image = Config(), torch.zeros(1, 3, 32, 32)
    ours, plain = (methods(config)[f"distilled_{kind}"].student(config).eval() for kind in ("symmetric", "low_rank"))
    assert str(ours.form) == str(plain.form)
    assert {n: t.shape for n, t in ours.state_dict().items()} == {n: t.shape for n, t in plain.state_dict().items()}
    assert multiply_adds(ours, image) / multiply_adds(plain, image) == pytest.approx(2, abs=0.01)


def test_the_papers_student_speaks_of_differences_to_the_last_class() -> None:
    families = [kind.family for kind in students(TINY)["students"].values()]
    assert PAPER_FAMILY.reference == 9
    assert families == [FAMILY] * 5 + [PAPER_FAMILY]  # those over all K logits come first
