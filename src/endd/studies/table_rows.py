"""What models say about labelled rows of a table, number by number, and the scores that follow."""

import copy
from collections.abc import Callable

import torch
from torch import Tensor
from torch.distributions import Normal

from endd import metrics
from endd.families import Categorical
from endd.models import Model, Prediction
from endd.studies.evaluation import central_level

# Rows that are asked about at once; rows whose predictives are compared, each of which takes a sum over many points.
AT_ONCE, COMPARED = 2048, 5000

#: Numbers of every row, by name: (N,), and (N, K) for probabilities.
Rows = dict[str, Tensor]


def rows_of(model: Model, x: Tensor, y: Tensor, told: Callable[[int], None] = lambda _: None) -> Rows:
    """What a model says about encoded rows x and targets y: its prediction, the split, and how good it is.

    told: called with the number of rows after every part of them.
    """
    exact = copy.deepcopy(model).double()
    ask = _class_rows if isinstance(model.family, Categorical) else _number_rows
    parts = []
    for some, targets in zip(x.split(AT_ONCE), y.split(AT_ONCE), strict=True):
        parts.append(ask(exact.predict(some), targets))
        told(len(targets))
    return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}


def _number_rows(prediction: Prediction, y: Tensor) -> Rows:
    matched = Normal(prediction.mean, prediction.variance.sqrt())
    return {
        "mean": prediction.mean,
        "log_prob": prediction.log_prob(y),
        "log_prob_gaussian": matched.log_prob(y),
        "crps": metrics.crps(prediction.marginal, y, reduction="none"),
        "level": central_level(prediction, y),
        **_split(prediction),
    }


def _class_rows(prediction: Prediction, y: Tensor) -> Rows:
    return {"probs": prediction.probs, "log_prob": prediction.log_prob(y), **_split(prediction)}


def _split(prediction: Prediction) -> Rows:
    return {"total": prediction.total, "aleatoric": prediction.aleatoric, "epistemic": prediction.epistemic}


def errors(rows: Rows, y: Tensor) -> Tensor:
    """y - mean, or 1 where the class is wrong."""
    return (rows["probs"].argmax(-1) != y).double() if "probs" in rows else y - rows["mean"]


def scores_of(rows: Rows, y: Tensor) -> dict[str, float]:
    """rmse, nll, nll_gaussian, crps, coverage95; or nll, accuracy, brier, ece; and ause by the total uncertainty."""
    if "probs" in rows:
        found = {
            "nll": metrics.nll(rows["log_prob"]),
            "accuracy": metrics.accuracy(rows["probs"], y),
            "brier": metrics.brier(rows["probs"], y),
            "ece": metrics.ece(rows["probs"], y),
            "ause": metrics.ause(errors(rows, y), rows["total"], by="mae"),
        }
    else:
        found = {
            "rmse": metrics.rmse(rows["mean"], y),
            "nll": metrics.nll(rows["log_prob"]),
            "nll_gaussian": metrics.nll(rows["log_prob_gaussian"]),
            "crps": rows["crps"].mean(),
            "coverage95": (rows["level"] <= 0.95).double().mean(),
            "ause": metrics.ause(errors(rows, y), rows["total"]),
        }
    return {name: float(value) for name, value in found.items()}


def kl_teacher(teacher: Model, model: Model, x: Tensor) -> float:
    """The mean KL from the teacher's predictive to the model's, on some of the rows if they are many."""
    some = x[:: -(-len(x) // COMPARED)]
    first, second = copy.deepcopy(teacher).double(), copy.deepcopy(model).double()
    gaps = [
        metrics.kl_marginal(first.predict(part).marginal, second.predict(part).marginal) for part in some.split(AT_ONCE)
    ]
    return float(torch.cat(gaps).mean())
