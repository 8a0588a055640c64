"""Variance scaling: the best factor, and a split that stays consistent."""

import math

import pytest
import torch
from torch.distributions import Distribution

import endd
from endd.calibration import VarianceScaling
from endd.families import Family, Gaussian, MultivariateGaussian, Poisson

GAUSSIAN = Gaussian(shift=100.0, scale=5.0)
Z = torch.randn(200, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
PAIRS: list[tuple[Family, Distribution]] = [
    (GAUSSIAN, endd.Members(torch.randn(5, 200, 2, dtype=torch.float64))),
    (GAUSSIAN, endd.FullNormal.from_raw(torch.randn(200, 5, dtype=torch.float64))),
    (MultivariateGaussian(2), endd.Members(torch.randn(5, 200, 5, dtype=torch.float64))),
]


def test_of_a_normal_it_is_the_root_mean_square_of_standard_scores() -> None:
    prediction = endd.Prediction(GAUSSIAN, endd.Point(Z))
    y = prediction.mean + 3 * prediction.variance.sqrt() * torch.randn(200, dtype=torch.float64)
    expected = ((y - prediction.mean).square() / prediction.variance).mean().sqrt()
    assert float(VarianceScaling.fit(prediction, y).factor) == pytest.approx(float(expected), rel=1e-6)


@pytest.mark.parametrize(("family", "v"), PAIRS)
def test_the_fit_is_the_likelihoods_maximum(family: Family, v: Distribution) -> None:
    prediction = endd.Prediction(family, v)
    y = prediction.mean + 2 * (prediction.sample() - prediction.mean)
    scaling = VarianceScaling.fit(prediction, y)

    def likelihood(change: float) -> float:
        return float(VarianceScaling(change * float(scaling.factor)).recalibrate(prediction).log_prob(y).mean())

    assert likelihood(1.0) >= max(likelihood(0.97), likelihood(1.03))
    assert float(scaling.factor) == pytest.approx(2, rel=0.2)


def test_a_student_with_it_attached_predicts_with_it() -> None:
    student = endd.Student(torch.nn.Linear(3, 5), Gaussian())
    x = torch.randn(6, 3)
    before = student.predict(x)
    after = student.attach(VarianceScaling(2.0)).predict(x)
    torch.testing.assert_close(after.total, 4 * before.total)
    torch.testing.assert_close(after.quantile(0.9) - after.mean, 2 * (before.quantile(0.9) - before.mean))


def test_what_makes_no_sense_is_refused() -> None:
    counts = endd.Prediction(Poisson(), endd.Point(torch.zeros(4, 1)))
    with pytest.raises(TypeError, match="Expected a regression on numbers"):
        VarianceScaling.fit(counts, torch.zeros(4))
    with pytest.raises(ValueError, match="finite number above 0"):
        VarianceScaling(0.0)
    prediction = endd.Prediction(Gaussian(), endd.Point(torch.zeros(4, 2)))
    with pytest.raises(ValueError, match="NaN or infinity in 1 rows"):
        VarianceScaling.fit(prediction, torch.tensor([0.0, 1.0, math.nan, 2.0]))
