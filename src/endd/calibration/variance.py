"""Variance scaling: one factor that makes the spread of a regression honest."""

import torch
from torch import Tensor

from endd._checks import check_positive
from endd.calibration.line import best_positive
from endd.families import Unitless
from endd.models import Attachment, Prediction, row_losses
from endd.models.stretched import StretchedPrediction


class VarianceScaling(Attachment):
    """Stretches the predictive distribution about its mean: y' = mean + factor (y - mean).

    The mean stays; aleatoric, epistemic and total variance all get factor^2, so that their shares stay what they were:
    targets alone cannot tell which of the two was wrong. Quantiles, density and entropies follow.

    >>> import endd
    >>> prediction = endd.Prediction(endd.families.Gaussian(), endd.Members(torch.randn(5, 8, 2)))
    >>> wider = VarianceScaling(2.0).recalibrate(prediction)
    >>> torch.allclose(wider.epistemic, 4 * prediction.epistemic), torch.allclose(wider.mean, prediction.mean)
    (True, True)
    """

    name = "variance"
    recalibrates = True

    def __init__(self, factor: float) -> None:
        check_positive("factor", factor)
        super().__init__(factor)

    @property
    def factor(self) -> Tensor:
        """Of the standard deviation, a buffer."""
        return self.value

    @classmethod
    def fit(cls, prediction: Prediction, y: Tensor) -> "VarianceScaling":
        """The factor of the greatest likelihood of held-out targets y.

        For normals that is sqrt(mean((y - mean)^2 / variance)); for mixtures it is searched for.
        """
        _check_numbers(prediction)
        row_losses(prediction, y)  # says what is wrong with y
        with torch.no_grad():
            return cls(best_positive(lambda c: -float(StretchedPrediction(prediction, c).log_prob(y).double().mean())))

    def recalibrate(self, prediction: Prediction) -> Prediction:
        """The prediction stretched about its mean."""
        _check_numbers(prediction)
        return StretchedPrediction(prediction, self.value)


def _check_numbers(prediction: Prediction) -> None:
    if isinstance(prediction.family, Unitless):
        raise TypeError(f"Expected a regression on numbers to scale its variance, but got {prediction.family}.")
