"""The loss of every row of a prediction: what a risk is the mean of."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from endd._checks import check_option, check_target, describe
from endd.families import Bernoulli

#: A name from LOSSES, or a function (prediction, y) -> losses (B,).
Loss = str | Callable[[Any, Tensor], Tensor]


def _nll(prediction: Any, y: Tensor) -> Tensor:
    return -prediction.log_prob(y)  # type: ignore[no-any-return]


def _squared(prediction: Any, y: Tensor) -> Tensor:
    mean: Tensor = prediction.mean
    check_target(y, mean.shape)
    return (y.to(mean) - mean).square().flatten(1).sum(-1) if mean.ndim > 1 else (y.to(mean) - mean).square()


def _zero_one(prediction: Any, y: Tensor) -> Tensor:
    probs: Tensor = prediction.probs
    if isinstance(prediction.family, Bernoulli):  # chances of yes, of one label or of many
        check_target(y, probs.shape)
        wrong = (probs > 0.5) != y.to(probs.device).bool()
        return (wrong if wrong.ndim == 1 else wrong.any(-1)).to(probs.dtype)
    check_target(y, probs.shape[:1])
    return (probs.argmax(-1) != y.to(probs.device)).to(probs.dtype)


LOSSES: dict[str, Callable[[Any, Tensor], Tensor]] = {"nll": _nll, "squared": _squared, "zero_one": _zero_one}


def row_losses(prediction: Any, y: Tensor, loss: Loss = "nll") -> Tensor:
    """The loss of every row, (B,), in float64.

    loss: "nll", -log q~(y); "squared", (y - mean)^2, summed over the entries of a vector, whose mean is rmse^2;
    "zero_one", whether the most probable class is wrong, or any of many labels; or a function (prediction, y) ->
    losses (B,).

    >>> import endd
    >>> prediction = endd.Prediction(endd.families.Gaussian(), endd.Point(torch.zeros(3, 2)))
    >>> row_losses(prediction, torch.tensor([0.0, 1.0, 2.0]), "squared")
    tensor([0., 1., 4.], dtype=torch.float64)
    """
    if not callable(loss):
        check_option("loss", loss, LOSSES)
    y = torch.as_tensor(y)
    with torch.no_grad():
        found = (loss if callable(loss) else LOSSES[loss])(prediction, y)
    if not isinstance(found, Tensor) or found.shape != (len(prediction),):
        raise ValueError(f"Expected losses of shape ({len(prediction)},), one a row, but got {describe(found)}.")
    bad = int((~found.isfinite()).sum())
    if bad:
        raise ValueError(f"Expected finite losses, but got NaN or infinity in {bad} rows. Look at y in these rows.")
    return found.double()
