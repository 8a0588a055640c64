"""What travels with a student."""

import pytest
import torch
from torch import nn

import endd
from endd.calibration import ConformalInterval, Rejector, VarianceScaling
from endd.families import Gaussian


@pytest.fixture
def student() -> endd.Student:
    return endd.Student(nn.Linear(3, 5), Gaussian())


def test_one_of_each_name_is_kept(student: endd.Student) -> None:
    student.attach(VarianceScaling(2.0)).attach(Rejector(1.0)).attach(ConformalInterval(1.5))
    assert [*student.attached] == ["variance", "rejector", "interval"]
    student.attach(Rejector(2.0, "epistemic"))
    assert float(student.attached["rejector"].threshold) == 2
    assert "value=2, by=epistemic" in repr(student)


def test_the_forward_pass_stays_as_it_was_trained(student: endd.Student) -> None:
    x = torch.randn(4, 3)
    before = student(x).mean
    student.attach(VarianceScaling(2.0))
    assert torch.equal(student(x).mean, before)


def test_a_recalibration_comes_first(student: endd.Student) -> None:
    student.attach(Rejector(1.0))
    with pytest.raises(ValueError, match=r"Expected `variance` before .* but it has rejector already"):
        student.attach(VarianceScaling(2.0))
    del student.attached["rejector"]
    student.attach(VarianceScaling(2.0))


def test_numbers_are_buffers(student: endd.Student) -> None:
    assert not student.attached.state_dict()
    student.attach(Rejector(0.25))
    assert student.state_dict()["attached.rejector.value"] == 0.25


def test_they_enter_one_graph_with_the_student(student: endd.Student) -> None:
    """Nothing asks for the value of a number: a graph of a recalibrated student keeps it as a buffer."""

    class Answer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.student = student.attach(VarianceScaling(2.0)).attach(Rejector(3.0)).attach(ConformalInterval(1.5))

        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
            prediction = endd.Prediction(self.student.family, self.student(x))
            prediction = self.student.attached["variance"].recalibrate(prediction)
            accept = self.student.attached["rejector"](prediction)
            return prediction.total, accept, *self.student.attached["interval"](prediction)

    answer, x = Answer(), torch.randn(6, 3)
    graph = torch.export.export(answer, (x,))
    assert {name.split(".")[-2] for name, _ in graph.named_buffers()} == {"variance", "rejector", "interval"}
    for found, expected in zip(graph.module()(x), answer(x), strict=True):
        torch.testing.assert_close(found, expected)


def test_others_are_refused(student: endd.Student) -> None:
    with pytest.raises(TypeError, match=r"such as an endd\.Rejector, but got 3"):
        student.attach(3)  # type: ignore[arg-type]
