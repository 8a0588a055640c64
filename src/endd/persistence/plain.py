"""Families, forms of v, arrays of classes and histories as plain data, and back."""

import dataclasses
import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from endd import distributions, families
from endd._checks import describe
from endd.distributions import Configured, Form
from endd.families import Family
from endd.training import History

FAMILIES: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        families.Bernoulli,
        families.Categorical,
        families.Gaussian,
        families.MultivariateGaussian,
        families.Poisson,
    )
}
FORMS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        distributions.DiagonalNormal,
        distributions.Dirichlet,
        distributions.FullNormal,
        distributions.LiftedNormal,
        distributions.LowRankNormal,
        distributions.Members,
        distributions.ModuloShift,
        distributions.Point,
        distributions.TemperedPoint,
    )
}


def family_to_plain(family: Family) -> dict[str, Any]:
    """The name of a family, its settings and its units."""
    if FAMILIES.get(type(family).__name__) is not type(family):
        raise TypeError(
            f"Expected a family of endd.families to save, but got {describe(family)}. Save the state_dict of the "
            "model yourself, and build the model from your own code."
        )
    return {"name": type(family).__name__, **dataclasses.asdict(family)}  # type: ignore[call-overload]


def family_from_plain(plain: dict[str, Any]) -> Family:
    """The family that `family_to_plain` described."""
    settings = {name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()}
    del settings["name"]
    family: Family = FAMILIES[plain["name"]](**settings)
    return family


def form_to_plain(form: Form) -> dict[str, Any]:
    """The name of a form of v and its options, of which one may be a form itself."""
    kind: Any = form.kind if isinstance(form, Configured) else form
    if kind not in FORMS.values():
        raise TypeError(f"Expected a form of v from endd, such as endd.FullNormal, to save, but got {describe(form)}.")
    if not isinstance(form, Configured):
        return {"name": kind.__name__}
    written = {
        n: value if isinstance(value, int | float) else form_to_plain(value) for n, value in form.options.items()
    }
    return {"name": kind.__name__, "options": written}


def form_from_plain(plain: dict[str, Any]) -> Form:
    """The form that `form_to_plain` described."""
    kind: Any = FORMS[plain["name"]]
    if "options" not in plain:
        return kind  # type: ignore[no-any-return]
    options = {name: form_from_plain(v) if isinstance(v, dict) else v for name, v in plain["options"].items()}
    return Configured(kind, options)


def classes_to_plain(classes: NDArray[Any]) -> dict[str, Any]:
    """The names of classes and how they are stored."""
    if classes.dtype.kind not in "biufUO" or not all(isinstance(c, str | bool | int | float) for c in classes.tolist()):
        raise TypeError(f"Expected classes that are text or numbers to save, but got {classes.dtype} values.")
    return {"dtype": "object" if classes.dtype.kind == "O" else classes.dtype.str, "names": classes.tolist()}


def classes_from_plain(plain: dict[str, Any]) -> NDArray[Any]:
    """The array that `classes_to_plain` described."""
    return np.array(plain["names"], dtype=np.dtype(plain["dtype"]))


def history_to_plain(history: History) -> tuple[dict[str, Any], Tensor]:
    """A summary in words, and the numbers of every epoch (epochs, columns)."""
    columns = list(history.rows[0]) if history.rows else []
    numbers = torch.tensor([[row[name] for name in columns] for row in history.rows], dtype=torch.float64)
    summary = {
        "epochs": len(history.rows),
        "last": {name: value for name, value in (history.rows or [{}])[-1].items() if math.isfinite(value)},
        "columns": columns,
        "best_epoch": history.best_epoch,
        "restarts": history.restarts,
    }
    return summary, numbers


def history_from_plain(summary: dict[str, Any], numbers: Tensor) -> History:
    """The history that `history_to_plain` described."""
    rows = [dict(zip(summary["columns"], row, strict=True)) for row in numbers.tolist()]
    return History(rows, summary["restarts"], summary["best_epoch"])
