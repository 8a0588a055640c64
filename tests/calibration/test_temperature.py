"""Temperature scaling against scipy's minimiser."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

import endd
from endd.calibration import Tempered, fit_temperature
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


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match=r"logits \(N, K\) and classes \(N,\)"):
        fit_temperature(torch.randn(4, 3), torch.zeros(5))
    with pytest.raises(TypeError, match="a model of classes"):
        Tempered(endd.Ensemble([torch.nn.Linear(4, 2)], Gaussian()), 2.0)
    student = endd.Student(torch.nn.Linear(4, endd.num_outputs(Categorical(3))), Categorical(3))
    with pytest.raises(TypeError, match="says atoms"):
        Tempered(student, 2.0).predict(torch.randn(2, 4))
