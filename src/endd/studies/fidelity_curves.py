"""What the figures of a student beside its ensemble draw, as plain arrays, with bands over resampled rows."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from endd import metrics
from endd.studies.fidelity_rows import PARTS, STUDENT, TEACHER, Rows, drawn_rows, errors
from endd.studies.fidelity_scores import LEVEL

# Points of a curve, points of a scatter and rows that are listed; resamplings for a band, at most.
POINTS, SCATTERED, LISTED, BANDS = 41, 400, 20, 60
LEVELS = np.linspace(0.05, 0.95, 19)
# Bins of a reliability diagram with fewer rows are left out.
ENOUGH = 5

Array = NDArray[Any]


def curves_of(rows: dict[str, Rows], y: Tensor | None, places: list[Tensor]) -> dict[str, Array]:
    """Scatters and the inputs that differ most; with labels sparsification, risk-coverage and calibration too."""
    curves = _scatters(rows) | _worst(rows)
    if y is None:
        return curves
    axis = np.linspace(0, 1, POINTS)
    curves |= {"fraction": axis, "levels": LEVELS}
    for name, curve in (("sparsification", _sparsification), ("risk", _risk)):
        curves |= _with_bands(rows, y, places, name, lambda own, labels, curve=curve: curve(own, labels, axis))  # type: ignore[misc]
    if "cdf" in rows[TEACHER]:
        return curves | _with_bands(rows, y, places, "calibration", _coverage)
    return curves | (_reliability(rows, y) if "probs" in rows[TEACHER] else {})


def _scatters(rows: Mapping[str, Rows]) -> dict[str, Array]:
    count = len(rows[TEACHER]["total"])
    some = torch.arange(0, count, -(-count // SCATTERED))
    found = {f"{m}/{part}": _array(own[part][some.to(own[part].device)]) for m, own in rows.items() for part in PARTS}
    return found | {"scattered": _array(some)}


def _worst(rows: Mapping[str, Rows]) -> dict[str, Array]:
    """The rows on which both differ most: their places, and what both say about them."""
    kl = rows[STUDENT]["kl"]
    worst = kl.topk(min(LISTED, len(kl))).indices
    listed = torch.stack([kl, *(own[part] for own in rows.values() for part in PARTS)], 1)[worst]
    said = {f"worst_{m}": _array(_answer(own)[worst]) for m, own in rows.items() if _answer(own).ndim == 1}
    return said | {"worst_rows": _array(worst), "worst": _array(listed.double())}


def _answer(rows: Rows) -> Tensor:
    return rows["probs"].argmax(-1) if "probs" in rows else rows["mean"]


def _with_bands(
    rows: dict[str, Rows], y: Tensor, places: list[Tensor], name: str, curve: Callable[[Rows, Tensor], Array]
) -> dict[str, Array]:
    """A curve of both models, (T,), and the band (2, T) that holds 95 % of it over resampled rows."""
    found = {f"{model}/{name}": curve(own, y) for model, own in rows.items()}
    drawn = [(drawn_rows(rows, some), y[some.to(y.device)]) for some in places[:BANDS]]
    for model in rows if drawn else ():
        moved = np.stack([curve(own[model], labels) for own, labels in drawn])
        found[f"{model}/{name}_band"] = np.quantile(moved, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return found


def _sparsification(rows: Rows, y: Tensor, axis: Array) -> Array:
    found = metrics.sparsification_curve(errors(rows, y), rows["total"], by="mae" if "probs" in rows else "mse")
    return np.interp(axis, _array(found.fraction), _array(found.model))


def _risk(rows: Rows, y: Tensor, axis: Array) -> Array:
    loss = errors(rows, y)
    found = metrics.risk_coverage_curve(loss if "probs" in rows else loss.square(), rows["total"])
    return np.interp(axis, _array(found.coverage), _array(found.risk))


def _coverage(rows: Rows, y: Tensor) -> Array:
    """The share of y inside each central interval."""
    level = (2 * rows["cdf"] - 1).abs().double().cpu()
    return _array((level.unsqueeze(1) <= torch.as_tensor(LEVELS)).double().mean(0))


def _reliability(rows: Mapping[str, Rows], y: Tensor) -> dict[str, Array]:
    """Mean confidence and accuracy of the bins with rows enough."""
    found = {}
    for model, own in rows.items():
        bins = metrics.reliability(own["probs"], y)
        kept = bins.count >= ENOUGH
        found[f"{model}/confidence"], found[f"{model}/accuracy"] = (
            _array(part[kept]) for part in (bins.confidence, bins.accuracy)
        )
    return found


def _array(tensor: Tensor) -> Array:
    array: Array = tensor.detach().cpu().numpy()
    return array
