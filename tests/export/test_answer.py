"""The named numbers of a prediction."""

from typing import Any

import pytest
import torch

from endd.export.answer import Answer, meanings
from endd.families import Bernoulli, Categorical, Family, Gaussian, MultivariateGaussian, Poisson
from tests.export.runtime import student_of

PARTS = ["total", "aleatoric", "epistemic"]


@pytest.mark.parametrize(
    ("family", "names"),
    [
        (Gaussian(), ["mean", *PARTS, "lower", "upper"]),
        (MultivariateGaussian(2), ["mean", *PARTS, "lower", "upper"]),
        (Categorical(3), ["probabilities", *PARTS]),
        (Bernoulli(2), ["probabilities", *PARTS]),
        (Poisson(), ["mean", *PARTS]),
    ],
)
def test_names_and_meanings(family: Family, names: list[str]) -> None:
    student = student_of(family)
    assert list(Answer(student)(torch.zeros(2, 3))) == names
    assert list(meanings(family)) == names


def test_it_says_what_predict_says() -> None:
    student = student_of(Gaussian().in_units(100.0, 3.0))
    x = torch.randn(5, 3)
    answer, prediction = Answer(student)(x), student.predict(x)
    lower, upper = prediction.interval()
    expected: dict[str, Any] = {"mean": prediction.mean, "total": prediction.total, "lower": lower, "upper": upper}
    for name, value in expected.items():
        assert torch.equal(answer[name], value)
    assert "variance of y: aleatoric + epistemic" in meanings(student.family)["total"]
    assert "nats" in meanings(Categorical(2))["total"]


def test_inputs_may_be_made_first() -> None:
    class Twice(torch.nn.Module):
        def forward(self, half: torch.Tensor) -> torch.Tensor:
            return 2 * half

    student, x = student_of(Gaussian()), torch.randn(4, 3)
    assert torch.equal(Answer(student, Twice())({"half": x / 2})["mean"], student.predict(x).mean)
