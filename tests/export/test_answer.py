"""The named numbers of a prediction."""

from typing import Any

import pytest
import torch

import endd
from endd.calibration import ConformalInterval, ConformalSet
from endd.export.answer import Answer
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
def test_names(family: Family, names: list[str]) -> None:
    student = student_of(family)
    assert list(Answer(student)(torch.zeros(2, 3))) == names
    bare = [name for name in names if name not in ("lower", "upper")]
    assert list(Answer(student, interval=False)(torch.zeros(2, 3))) == bare


def test_it_says_what_predict_says() -> None:
    student = student_of(Gaussian().in_units(100.0, 3.0))
    x = torch.randn(5, 3)
    answer, prediction = Answer(student)(x), student.predict(x)
    lower, upper = prediction.interval()
    expected: dict[str, Any] = {"mean": prediction.mean, "total": prediction.total, "lower": lower, "upper": upper}
    for name, value in expected.items():
        assert torch.equal(answer[name], value)


def test_what_is_attached_has_outputs() -> None:
    x = torch.randn(5, 3)
    student = student_of(Gaussian()).attach(ConformalInterval(3.0)).attach(endd.Rejector(0.7))
    answer, prediction = Answer(student)(x), student.predict(x)
    assert list(answer) == ["mean", *PARTS, "lower", "upper", "accept"]
    reach = 3 * prediction.variance.sqrt()
    torch.testing.assert_close(answer["upper"], prediction.mean + reach)
    assert answer["accept"].tolist() == (prediction.total <= 0.7).tolist()
    counts = student_of(Poisson()).attach(ConformalInterval(3.0))
    assert list(Answer(counts)(x)) == ["mean", *PARTS, "lower", "upper"]
    classes = student_of(Categorical(3)).attach(ConformalSet(0.7))
    assert Answer(classes)(x)["set"].tolist() == (classes.predict(x).probs >= 0.3).tolist()


def test_inputs_may_be_made_first() -> None:
    class Twice(torch.nn.Module):
        def forward(self, half: torch.Tensor) -> torch.Tensor:
            return 2 * half

    student, x = student_of(Gaussian()), torch.randn(4, 3)
    assert torch.equal(Answer(student, Twice())({"half": x / 2})["mean"], student.predict(x).mean)
