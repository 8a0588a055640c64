"""Split-conformal intervals and sets: they hold the truth as often as they say, whatever the model is worth.

A score says how badly a target fits a prediction. For n exchangeable rows and a further one, its score is at most the
ceil((n + 1) level)-th smallest of the n with probability `level` at least; the interval or set holds every y whose
score is no larger. The promise is an average over validation sets and over inputs, not for each input.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from endd._checks import check_option, check_target, describe
from endd._elementary import falling_order
from endd.calibration.order import check_share, order_threshold
from endd.models import Attachment

INTERVALS, SETS = ("normalised", "quantile"), ("lac", "aps")


class _Conformal(Attachment):
    """What intervals and sets share: a margin, a buffer, for a level by a method."""

    def __init__(self, margin: float, level: float, method: str, methods: Sequence[str]) -> None:
        check_option("method", method, methods)
        check_share("level", level)
        super().__init__(margin)
        self.level, self.method = level, method

    @property
    def margin(self) -> Tensor:
        """The score up to which all is kept."""
        return self.value

    def settings(self) -> dict[str, Any]:
        """level and method."""
        return {"level": self.level, "method": self.method}


class ConformalInterval(_Conformal):
    """Intervals that hold a number y with probability `level`.

    method: "normalised" scores |y - mean| / sqrt(variance) (Lei et al. 2018) and gives mean -+ margin sqrt(variance);
    "quantile" scores how far y lies outside the model's own interval (Romano et al. 2019), negative inside, and widens
    or narrows that by the margin.

    >>> import endd
    >>> prediction = endd.Prediction(endd.families.Gaussian(), endd.Point(torch.zeros(19, 2)))
    >>> conformal = ConformalInterval.fit(prediction, torch.arange(19.0), level=0.9)
    >>> round(float(conformal(prediction)[1][0]), 3)
    17.0
    """

    name = "interval"

    def __init__(self, margin: float, level: float = 0.95, method: str = "normalised") -> None:
        """margin: in standard deviations, or in the units of y for "quantile"."""
        super().__init__(margin, level, method, INTERVALS)

    @classmethod
    def fit(cls, prediction: Any, y: Tensor, level: float = 0.95, method: str = "normalised") -> "ConformalInterval":
        """From held-out targets y (n,)."""
        plain = cls(0.0, level, method)
        _check_number(prediction)
        y = torch.as_tensor(y)
        check_target(y, (len(prediction),))
        if method == "normalised":
            mean = prediction.mean
            scores = (y.to(mean) - mean).abs() / prediction.variance.sqrt()
        else:
            lower, upper = prediction.interval(level)
            scores = torch.maximum(lower - y.to(lower), y.to(upper) - upper)
        return cls(order_threshold("scores of y", scores, level), plain.level, plain.method)

    def forward(self, prediction: Any) -> tuple[Tensor, Tensor]:
        """(lower, upper), each (B,)."""
        if self.method == "normalised":
            return self.around(prediction.mean, prediction.variance)
        return self.widened(*prediction.interval(self.level))

    def around(self, mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
        """mean -+ margin sqrt(variance)."""
        reach = self.value.to(mean.dtype) * variance.sqrt()
        return mean - reach, mean + reach

    def widened(self, lower: Tensor, upper: Tensor) -> tuple[Tensor, Tensor]:
        """The interval with the margin added at both ends; one that a negative margin turns over becomes its centre."""
        margin, centre = self.value.to(lower.dtype), (lower + upper) / 2
        return torch.minimum(lower - margin, centre), torch.maximum(upper + margin, centre)


class ConformalSet(_Conformal):
    """Sets of classes that hold y with probability `level`, as a mask (B, K).

    method: "lac" scores 1 - p_y and keeps all classes with 1 - p <= margin (Sadinle et al. 2019): the smallest sets on
    average, some of them empty. "aps" scores the probability of all classes down to y, y included (Romano et al. 2020),
    so that hard inputs get larger sets; the most probable class is always kept. Nothing is drawn at random, which makes
    "aps" a little larger than it need be.

    >>> import endd
    >>> prediction = endd.Prediction(endd.families.Categorical(3), endd.Point(torch.zeros(19, 3)))
    >>> ConformalSet.fit(prediction, torch.zeros(19).long(), level=0.9)(prediction).sum(-1)[0]
    tensor(3)
    """

    name = "set"

    def __init__(self, margin: float, level: float = 0.95, method: str = "lac") -> None:
        """margin: the largest score of a class that is kept."""
        super().__init__(margin, level, method, SETS)

    @classmethod
    def fit(cls, prediction: Any, y: Tensor, level: float = 0.95, method: str = "lac") -> "ConformalSet":
        """From held-out classes y (n,)."""
        plain = cls(0.0, level, method)
        probs: Tensor = prediction.probs
        y = torch.as_tensor(y)
        if probs.ndim != 2 or y.shape != probs.shape[:1] or y.is_floating_point():
            raise ValueError(
                f"Expected probs (n, K) and integer classes (n,), but got {describe(probs)}, {describe(y)}."
            )
        scores = plain.scores(probs).gather(1, y.to(probs.device).long().unsqueeze(1)).squeeze(1)
        return cls(order_threshold("scores of y", scores, level), level, method)

    def scores(self, probs: Tensor) -> Tensor:
        """The score that every class would have, (B, K)."""
        if self.method == "lac":
            return 1 - probs
        # 1 less all that is less probable: the last class has a score of 1 and not nearly so
        order = falling_order(probs).flip(-1)
        less = functional.pad(probs.gather(-1, order).cumsum(-1)[..., :-1], (1, 0))
        return torch.zeros_like(probs).scatter(-1, order, 1 - less)

    def forward(self, prediction: Any) -> Tensor:
        """Which classes are in the set, (B, K)."""
        return self.chosen(prediction.probs)

    def chosen(self, probs: Tensor) -> Tensor:
        """scores <= margin and, for "aps", the most probable class."""
        within = self.scores(probs) <= self.value
        if self.method == "lac":
            return within
        return within | (probs == probs.amax(-1, keepdim=True))


def _check_number(prediction: Any) -> None:
    if prediction.family.default_measure == "entropy" or prediction.family.event_shape:
        raise TypeError(f"Expected a regression on one number for conformal intervals, but got {prediction.family}.")
