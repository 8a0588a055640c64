"""What the figures of the UCI study draw, as plain arrays, of one data set."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from endd.metrics import sparsification_curve
from endd.models import Prediction
from endd.studies.evaluation import central_level

DRAWN = ("ensemble", "distilled", "mixture")
# Points of a sparsification curve, at most; levels of central intervals; points of a scatter, at most.
POINTS, LEVELS, SCATTERED = 51, np.linspace(0.05, 0.95, 19), 600
#: How names of curves end that have a row, or points, for every split.
PER_SPLIT = ("_sparsification", "_oracle", "_coverage", "_epistemic")


def uci_curves(
    predictions: Sequence[Mapping[str, Prediction]], targets: Sequence[Tensor], fewest: int
) -> dict[str, NDArray[Any]]:
    """Sparsification and coverage of some splits; epistemic deviations of teacher, student and reference, pooled.

    fewest: test rows in the smallest of all splits, on which the fractions of sparsification depend.
    """
    curves: dict[str, NDArray[Any]] = {"levels": LEVELS}
    for name in DRAWN:
        models = [by_name[name] for by_name in predictions]
        curves |= _sparsification(name, models, targets, min(POINTS, fewest))
        curves[f"{name}_coverage"] = np.stack([_coverage(p, y) for p, y in zip(models, targets, strict=True)])
    for name in ("ensemble", "distilled", "reference"):
        pooled = torch.cat([by_name[name].epistemic.sqrt() for by_name in predictions])
        curves[f"{name}_epistemic"] = _array(pooled[:: -(-len(pooled) // SCATTERED)])
    return curves


def _sparsification(
    name: str, models: Sequence[Prediction], targets: Sequence[Tensor], points: int
) -> dict[str, NDArray[Any]]:
    """fraction (T,); curve and oracle (splits, T), on the same fractions for splits of all sizes."""
    fraction = np.linspace(0, 1, points)
    found: dict[str, list[NDArray[Any]]] = {"sparsification": [], "oracle": []}
    for prediction, y in zip(models, targets, strict=True):
        curve = sparsification_curve(y - prediction.mean, prediction.total)
        for key, part in (("sparsification", curve.model), ("oracle", curve.oracle)):
            found[key].append(np.interp(fraction, _array(curve.fraction), _array(part)).astype(np.float32))
    return {"fraction": fraction} | {f"{name}_{key}": np.stack(rows) for key, rows in found.items()}


def _coverage(prediction: Prediction, y: Tensor) -> NDArray[Any]:
    """The share of y inside the central interval of every level."""
    inside = central_level(prediction, y)[:, None] <= torch.as_tensor(LEVELS, dtype=y.dtype)
    return _array(inside.double().mean(0))


def _array(tensor: Tensor) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().cpu().numpy()
    return array
