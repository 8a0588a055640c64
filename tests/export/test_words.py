"""What a graph says about itself."""

import json

import pytest
import torch

import endd
from endd.calibration import ConformalInterval, ConformalSet, TemperatureScaling, VarianceScaling
from endd.export.answer import Answer
from endd.export.words import meanings, settings_of
from endd.families import Bernoulli, Categorical, Family, Gaussian, MultivariateGaussian, Poisson
from tests.export.runtime import student_of


@pytest.mark.parametrize("interval", [True, False])
@pytest.mark.parametrize("family", [Gaussian(), MultivariateGaussian(2), Categorical(3), Bernoulli(2), Poisson()])
def test_every_output_has_a_meaning(family: Family, interval: bool) -> None:
    answer = Answer(student_of(family).attach(endd.Rejector(0.7)), interval=interval)
    assert list(meanings(answer)) == list(answer(torch.zeros(2, 3)))


def test_the_meaning_of_what_is_attached() -> None:
    plain = meanings(Answer(student_of(Gaussian())))
    assert plain["total"] == "variance of y: aleatoric + epistemic"
    assert plain["lower"] == "the lower end of the central 95% interval of y"
    numbers = student_of(Gaussian()).attach(ConformalInterval(3.0, 0.9)).attach(endd.Rejector(0.7, by="aleatoric"))
    said = meanings(Answer(numbers))
    assert said["upper"] == "the upper end of the split-conformal 90% interval of y"
    assert said["accept"] == "whether the prediction is to be used: aleatoric <= 0.7"
    said = meanings(Answer(student_of(Categorical(3)).attach(ConformalSet(0.7, 0.8))))
    assert "nats" in said["total"]
    assert said["set"].endswith("holds the true one with probability 80%")


def test_settings_of_all_that_is_attached() -> None:
    assert settings_of(student_of(Gaussian())) == {}
    assert settings_of(endd.Ensemble([endd.nn.MLP(3, [4], 2)], Gaussian())) == {}
    student = student_of(Gaussian()).attach(VarianceScaling(1.5))
    student.attach(endd.Rejector(float("inf"), promise={"coverage": 0.9}))
    assert json.loads(settings_of(student)["attached"]) == {
        "variance": {"value": 1.5},
        "rejector": {"value": "inf", "by": "total", "promise": {"coverage": 0.9}},
    }
    cooled = student_of(Categorical(3)).attach(TemperatureScaling(2.0))
    assert json.loads(settings_of(cooled)["attached"]) == {"temperature": {"value": 2.0}}
