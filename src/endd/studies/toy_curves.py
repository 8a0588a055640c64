"""What the figures of the toy study draw, as plain arrays."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from endd._transforms import softplus_inverse
from endd.data import Examples, toy_mean, toy_variance
from endd.distributions import Atoms
from endd.distributions.normal import Normal
from endd.metrics import sparsification_curve
from endd.models import Model

DRAWN = ("ensemble", "distilled", "mixture")
REACH, GRID = 5.0, 401
PLACES = (0.0, 4.0)
# Points of a sparsification curve: every per cent.
POINTS = 101
#: How names of curves end that have a row for every seed.
PER_SEED = ("_sparsification", "_oracle")


def toy_curves(
    models: Mapping[str, Sequence[Model]], train: Examples, test: Sequence[Examples]
) -> dict[str, NDArray[Any]]:
    """Bands and z of the first seed, sparsification curves of all seeds."""
    curves: dict[str, NDArray[Any]] = {"train_x": train.x[:, 0], "train_y": train.y}
    curves |= _bands({name: models[name][0] for name in DRAWN})
    for name in DRAWN:
        curves |= _sparsification(name, models[name], test)
    return curves | _plane(models["ensemble"][0], models["distilled"][0], models["mixture"][0])


def _bands(models: Mapping[str, Model]) -> dict[str, NDArray[Any]]:
    """On a grid x (G,): each model's mean, aleatoric and epistemic variance, and the truth."""
    x = torch.linspace(-REACH, REACH, GRID)
    bands = {"x": _array(x), "true_mean": toy_mean(_array(x)), "true_variance": toy_variance(_array(x))}
    for name, model in models.items():
        prediction = model.predict(x.unsqueeze(-1))
        for part in ("mean", "aleatoric", "epistemic"):
            bands[f"{name}_{part}"] = _array(getattr(prediction, part))
    return bands


def _sparsification(name: str, models: Sequence[Model], test: Sequence[Examples]) -> dict[str, NDArray[Any]]:
    """fraction (T,); curve and oracle (seeds, T)."""
    curves = []
    for model, (x, y) in zip(models, test, strict=True):
        prediction = model.predict(torch.as_tensor(x))
        points = min(POINTS, len(y))
        curves.append(sparsification_curve(torch.as_tensor(y) - prediction.mean, prediction.total, points))
    return {
        "fraction": _array(curves[0].fraction),
        f"{name}_sparsification": _array(torch.stack([curve.model for curve in curves])),
        f"{name}_oracle": _array(torch.stack([curve.oracle for curve in curves])),
    }


def _plane(ensemble: Model, distilled: Model, mixture: Model) -> dict[str, NDArray[Any]]:
    """z at the places x (X,): members (M, X, 2), the student's normal (X, 2), (X, 2, 2), mixture and truth (X, 2)."""
    x = torch.tensor(PLACES).unsqueeze(-1)
    members, density, point = (model.predict(x).v for model in (ensemble, distilled, mixture))
    assert isinstance(members, Atoms)
    assert isinstance(density, Normal)
    assert isinstance(point, Atoms)
    variance = torch.as_tensor(toy_variance(np.array(PLACES)))
    truth = torch.stack([torch.as_tensor(toy_mean(np.array(PLACES))), softplus_inverse(variance)], -1)
    return {
        "places": np.array(PLACES),
        "members_z": _array(members.atoms),
        "distilled_loc": _array(density.mean),
        "distilled_covariance": _array(density.covariance_matrix),
        "mixture_z": _array(point.atoms[0]),
        "true_z": _array(truth),
    }


def _array(tensor: Tensor) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().cpu().numpy()
    return array
