"""A point with a temperature of its own."""

import math

import torch

import endd
from endd.distributions import TemperedPoint
from endd.distributions.tempered_point import MIN_TEMPERATURE
from endd.families import Categorical
from endd.objectives import MixtureDistillation


def test_raw_numbers_are_logits_and_a_temperature():
    v = TemperedPoint.from_raw(torch.tensor([[2.0, -4.0, 0.0]]))
    T = math.log(2) + MIN_TEMPERATURE
    torch.testing.assert_close(v.temperature, torch.tensor([T]))
    torch.testing.assert_close(v.z, torch.tensor([[2.0, -4.0]]) / T)
    assert v.expand([3, 1]).temperature.shape == (3, 1)


def test_a_student_learns_probabilities_through_it():
    family = Categorical(3)
    student = endd.Student(torch.nn.Linear(2, endd.num_outputs(family, TemperedPoint)), family, TemperedPoint)
    teacher = torch.randn(4, 1, 3).expand(4, 60, 3)
    endd.distill(teacher, student, torch.randn(60, 2), epochs=300, learning_rate=0.05, progress="none")
    expected = teacher[:, 0].softmax(-1).mean(0)
    torch.testing.assert_close(student.predict(torch.zeros(1, 2)).probs[0], expected, rtol=0.05, atol=0.02)


def test_mixture_distillation_reaches_the_temperature():
    raw = torch.randn(5, 4, requires_grad=True)
    loss = MixtureDistillation(Categorical(3))(TemperedPoint.from_raw(raw), endd.Members(torch.randn(6, 5, 3)))
    loss.sum().backward()
    assert (raw.grad[:, 3] != 0).all()
