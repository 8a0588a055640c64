"""What the figures of a fitted table draw, as plain arrays."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from endd import metrics
from endd.studies.table_rows import Rows, errors

if TYPE_CHECKING:
    import pyarrow as pa

DRAWN, PARTS = ("ensemble", "distilled"), ("aleatoric", "epistemic")
# Points of a scatter and of a curve, at most; training rows that distances are measured to, at most.
SCATTERED, POINTS, NEIGHBOURS = 1000, 101, 20_000
LEVELS = np.linspace(0.05, 0.95, 19)
# Rows that are shown, with so many of their columns, each cell of so many characters at most.
TOP, SHOWN, WIDTH = 10, 8, 24

Arrays = dict[str, NDArray[Any]]


def table_curves(rows: Mapping[str, Rows], y: Tensor) -> Arrays:
    """Sparsification and reliability of teacher and student, and the student's predictions of some rows."""
    student = rows["distilled"]
    some = evenly(len(y), SCATTERED)
    curves: Arrays = {"y": _array(y[some]), "fraction": np.linspace(0, 1, min(POINTS, len(y) + 1))}
    if "probs" in student:
        curves |= _class_curves(student, y)
    else:
        curves |= {name: _array(student[name][some]) for name in ("mean", *PARTS)}
        curves["levels"] = LEVELS
    for name in filter(rows.__contains__, DRAWN):
        curves |= {f"{name}_{key}": array for key, array in _model_curves(rows[name], y, curves["fraction"]).items()}
    return curves


def _class_curves(student: Rows, y: Tensor) -> Arrays:
    """confusion (K, K), true by predicted; groups (2, 3): rows, aleatoric and epistemic part of right and wrong."""
    predicted, K = student["probs"].argmax(-1), student["probs"].shape[1]
    confusion = torch.bincount(K * y + predicted, minlength=K * K).reshape(K, K)
    groups = [
        [int(chosen.sum()), *(float(student[part][chosen].sum() / chosen.sum().clamp(min=1)) for part in PARTS)]
        for chosen in (predicted == y, predicted != y)
    ]
    return {"confusion": _array(confusion), "groups": np.array(groups)}


def _model_curves(rows: Rows, y: Tensor, fraction: NDArray[Any]) -> Arrays:
    by = "mae" if "probs" in rows else "mse"
    curve = metrics.sparsification_curve(errors(rows, y), rows["total"], by=by)
    found = {
        key: np.interp(fraction, _array(curve.fraction), _array(part))
        for key, part in (("sparsification", curve.model), ("oracle", curve.oracle))
    }
    if "level" in rows:
        inside = rows["level"][:, None] <= torch.as_tensor(LEVELS)
        return found | {"coverage": _array(inside.double().mean(0))}
    bins = metrics.reliability(rows["probs"], y)
    return found | {key: _array(getattr(bins, key)) for key in ("count", "confidence", "accuracy")}


def distance_curves(student: Rows, x: Tensor, train: Tensor) -> Arrays:
    """The distance of some test rows x to the nearest of (some) training rows, and what is not known about them."""
    some = evenly(len(x), SCATTERED)
    near = train[evenly(len(train), NEIGHBOURS)]
    distance = torch.cat([torch.cdist(part, near).amin(1) for part in x[some].split(100)])
    return {"distance": _array(distance), "distance_epistemic": _array(student["epistemic"][some])}


def top_rows(
    student: Rows, table: "pa.Table", numbers: NDArray[np.integer], target: str, classes: NDArray[Any] | None
) -> Arrays:
    """The rows that the student knows least about: their numbers, predictions and first columns, as text."""
    order = torch.argsort(student["epistemic"], descending=True, stable=True)[:TOP]
    chosen = table.take(order.numpy())
    if classes is None:
        predicted, name = [f"{value:.4g}" for value in student["mean"][order].tolist()], "mean"
    else:
        predicted, name = [str(classes[k]) for k in student["probs"][order].argmax(-1).tolist()], "class"
    shown = [column for column in table.column_names if column != target][:SHOWN]
    header = ["row", target, name, "epistemic", "aleatoric", *shown]
    columns = [
        [str(number) for number in numbers[order.numpy()]],
        [_cell(value) for value in chosen.column(target).to_pylist()],
        predicted,
        *([f"{value:.3g}" for value in student[part][order].tolist()] for part in reversed(PARTS)),
        *([_cell(value) for value in chosen.column(column).to_pylist()] for column in shown),
    ]
    cells = np.array(list(zip(*columns, strict=True)), dtype=str)
    return {"top_header": np.array(header, dtype=str), "top_cells": cells}


def evenly(count: int, most: int) -> slice:
    """Every so many-th row, so that there are `most` of them at most."""
    return slice(None, None, -(-count // most))


def _cell(value: Any) -> str:
    """A value on one line, cut where it is long."""
    text = "-" if value is None else f"{value:.6g}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def _array(tensor: Tensor) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().cpu().numpy()
    return array
