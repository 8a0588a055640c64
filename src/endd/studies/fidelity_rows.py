"""What a teacher and its student say about every input, number by number."""

from typing import Any

import torch
from torch import Tensor

from endd import metrics
from endd.families import Categorical, Gaussian
from endd.models import Model, Prediction
from endd.training.tables import first_tensor, map_tensors

TEACHER, STUDENT = "ensemble", "distilled"
PARTS = ("total", "aleatoric", "epistemic")
# Rows asked about at once.
AT_ONCE = 2048

#: Numbers of every row, by name.
Rows = dict[str, Tensor]


def rows_of_pair(teacher: Model, student: Model, x: Any, y: Tensor | None) -> dict[str, Rows]:
    """What both say about every row, and the divergence of the student's predictive from the teacher's."""
    parts = _parts(x)
    targets = [None] * len(parts) if y is None else list(y.split(AT_ONCE))
    found: dict[str, list[Rows]] = {TEACHER: [], STUDENT: []}
    for part, own in zip(parts, targets, strict=True):
        first, second = teacher.predict(part), student.predict(part)
        found[TEACHER].append(_said(first, own))
        found[STUDENT].append(_said(second, own) | {"kl": metrics.kl_marginal(first.marginal, second.marginal)})
    return {model: {name: torch.cat([r[name] for r in rows]) for name in rows[0]} for model, rows in found.items()}


def drawn_rows(rows: dict[str, Rows], places: Tensor) -> dict[str, Rows]:
    """Some rows, in this order, of both."""
    return {m: {name: values[places.to(values.device)] for name, values in own.items()} for m, own in rows.items()}


def errors(rows: Rows, y: Tensor) -> Tensor:
    """1 where the class is wrong, else the distance of y from its mean, (B,)."""
    if "probs" in rows:
        return (rows["probs"].argmax(-1) != y).double()
    away = (y.to(rows["mean"]) - rows["mean"]).double()
    return away.abs() if away.ndim == 1 else away.square().flatten(1).sum(1).sqrt()


def _parts(x: Any) -> list[Any]:
    rows = len(first_tensor(x))
    return [map_tensors(lambda t, at=at: t[at : at + AT_ONCE], x) for at in range(0, rows, AT_ONCE)]  # type: ignore[misc]


def _said(prediction: Prediction, y: Tensor | None) -> Rows:
    classes = isinstance(prediction.family, Categorical)
    rows = {name: getattr(prediction, name) for name in PARTS}
    rows["probs" if classes else "mean"] = prediction.probs if classes else prediction.mean
    if y is None:
        return rows
    rows["log_prob"] = prediction.log_prob(y)
    if isinstance(prediction.family, Gaussian):
        rows["cdf"] = prediction.marginal.cdf(y.to(prediction.mean)).clamp(0, 1)
    return rows
