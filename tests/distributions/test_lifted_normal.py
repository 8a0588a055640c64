"""The paper's form of independent normals."""

import math

import pytest
import torch

import endd
from endd.distributions import DiagonalNormal, LiftedNormal
from endd.families import Categorical


def test_raw_numbers_are_loc_variance_and_lift():
    v = LiftedNormal.from_raw(torch.tensor([1.0, -2.0, 0.0, 100.0, -50.0, 3.0]), min_scale=0.5)
    assert v.loc.tolist() == [1.0, -2.0]
    expected = [math.log(2) + 0.25, 100 + math.log1p(math.exp(3)) + 0.25]
    torch.testing.assert_close(v.variance, torch.tensor(expected))


def test_it_is_a_diagonal_normal():
    v = LiftedNormal.from_raw(torch.randn(5, 9, dtype=torch.float64))
    z = torch.randn(7, 5, 3, dtype=torch.float64)
    torch.testing.assert_close(v.log_prob(z), DiagonalNormal(v.loc, v.scale).log_prob(z))


def test_the_least_scale_is_respected():
    v = LiftedNormal.of(min_scale=0.2).from_raw(torch.full((2, 6), -1e4))
    torch.testing.assert_close(v.scale, torch.full((2, 2), 0.2))


def test_a_student_over_logits_against_a_reference_class():
    family = Categorical(10, reference=9)
    assert endd.num_outputs(family, LiftedNormal) == 27
    student = endd.Student(torch.nn.Linear(4, 27), family, LiftedNormal)
    prediction = student.predict(torch.randn(6, 4))
    torch.testing.assert_close(prediction.probs.sum(-1), torch.ones(6))
    torch.testing.assert_close(prediction.total, prediction.aleatoric + prediction.epistemic)


def test_other_numbers_of_raw_numbers_raise():
    with pytest.raises(ValueError, match="a multiple of 3 raw numbers for a LiftedNormal"):
        LiftedNormal.from_raw(torch.zeros(2, 4))
