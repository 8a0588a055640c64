"""Temperature scaling against scipy's minimiser."""

from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

import endd
from endd.calibration import TemperatureScaling, Tempered, fit_temperature
from endd.families import Categorical, Gaussian


@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
def test_it_is_the_minimiser_of_the_log_loss(scale: float) -> None:
    generator = torch.Generator().manual_seed(0)
    z = scale * torch.randn(400, 5, generator=generator, dtype=torch.float64)
    y = torch.distributions.Categorical(logits=z / (2 * scale)).sample()

    def loss(log_t: float) -> float:
        return float(-log_softmax(z.numpy() / np.exp(log_t), axis=1)[np.arange(400), y.numpy()].mean())

    best = minimize_scalar(loss, bounds=(-5, 5), method="bounded", options={"xatol": 1e-9})
    assert fit_temperature(z, y) == pytest.approx(np.exp(best.x), rel=1e-4)


def test_single_precision_will_do() -> None:
    z = torch.randn(100, 3)
    assert fit_temperature(z, z.argmax(1)) < 0.01  # always right: as sure as can be


def test_a_tempered_model_divides_its_logits() -> None:
    ensemble = endd.Ensemble([torch.nn.Linear(4, 3) for _ in range(5)], Categorical(3))
    tempered, x = Tempered(ensemble, 2.0), torch.randn(6, 4)
    expected = (ensemble(x).atoms / 2).softmax(-1).mean(0)
    torch.testing.assert_close(tempered.predict(x).probs, expected)
    torch.testing.assert_close(tempered(x).atoms, ensemble(x).atoms / 2)


FORMS = [None, endd.Dirichlet, endd.ModuloShift.of(endd.DiagonalNormal), endd.Point]


@pytest.mark.parametrize("v", FORMS)
def test_the_fit_is_the_minimiser_of_the_marginal_loss(v: Any) -> None:
    family = Categorical(3)
    student = endd.Student(torch.nn.Linear(4, endd.num_outputs(family, v)).double(), family, v)
    x = 3 * torch.randn(200, 4, dtype=torch.float64)
    y = torch.distributions.Categorical(logits=student(x).mean / 2).sample()
    prediction = student.predict(x)
    scaling = TemperatureScaling.fit(prediction, y)

    def loss(factor: float) -> float:
        changed = TemperatureScaling(factor * float(scaling.temperature)).recalibrate(prediction)
        return float(-changed.log_prob(y).mean())

    assert loss(1.0) <= min(loss(0.97), loss(1.03))
    tempered = Tempered(student, float(scaling.temperature)).predict(x)
    torch.testing.assert_close(student.attach(scaling).predict(x).probs, tempered.probs)


def test_of_a_single_network_it_is_the_known_temperature() -> None:
    z = torch.randn(300, 4, dtype=torch.float64)
    y = torch.distributions.Categorical(logits=z / 2).sample()
    scaling = TemperatureScaling.fit(endd.Prediction(Categorical(4), endd.Point(z)), y)
    assert float(scaling.temperature) == pytest.approx(fit_temperature(z, y), rel=1e-5)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match=r"logits \(N, K\) and classes \(N,\)"):
        fit_temperature(torch.randn(4, 3), torch.zeros(5))
    with pytest.raises(TypeError, match="a model of classes"):
        Tempered(endd.Ensemble([torch.nn.Linear(4, 2)], Gaussian()), 2.0)
    with pytest.raises(TypeError, match="a model of classes"):
        TemperatureScaling(2.0).recalibrate(endd.Prediction(Gaussian(), endd.Point(torch.zeros(2, 2))))
    classes = endd.Prediction(Categorical(3), endd.Point(torch.zeros(2, 3)))
    with pytest.raises(ValueError, match=r"shape \(2,\), but got \(3,\)"):
        TemperatureScaling.fit(classes, torch.zeros(3).long())
