"""What a student is taught by: an ensemble that is asked, or outputs that somebody kept."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._checks import check_floating, describe
from endd.distributions import Atoms
from endd.families import Categorical, Family
from endd.models import Model
from endd.models.inputs import rows_at_once, to_model
from endd.training.tables import first_tensor, map_tensors


def ask(model: Model, inputs: Any, rows: int | None = None) -> Tensor:
    """A teacher's z (M, N, P) for inputs of N rows, in inference, part by part; of so many rows, if they are given."""
    rows = rows or rows_at_once(inputs, model)
    parts = []
    with torch.no_grad():
        for start in range(0, len(first_tensor(inputs)), rows):
            part = map_tensors(lambda tensor, at=start: tensor[at : at + rows], inputs)  # type: ignore[misc]
            v = _said(model, to_model(part, model))
            if not isinstance(v, Atoms):
                raise TypeError(f"Expected a teacher whose v is atoms, such as an endd.Ensemble, but got {v}.")
            if model.weights is None and not torch.allclose(v.weights, v.weights[:1]):
                raise TypeError(
                    f"Expected a teacher that says how its members are weighted, but {type(model).__name__} gives {v} "
                    "with weights and has none itself. Give it an attribute `weights` (M,)."
                )
            parts.append(v.atoms)
    z = torch.cat(parts, 1)
    if not bool(z.isfinite().all()):
        raise ValueError("Expected finite outputs from the teacher, but got NaN or infinity. Look at its members.")
    return z


def _said(model: Model, inputs: Any) -> Distribution:
    """v of a teacher; what it does not take is told with what may be wrong."""
    try:
        return model._inference(inputs)[0]
    except TypeError as error:
        if not isinstance(inputs, tuple | Mapping):
            raise
        raise TypeError(
            f"Expected inputs that the teacher's networks take, but got {len(inputs)} of them: {error}. A student "
            "learns from inputs alone: where data are pairs (x, y), give x."
        ) from None


def kept_outputs(outputs: Any, family: Family, form: str) -> Tensor:
    """z (M, N, P) from an array, a tensor or a .npy file of member outputs, in any form that the family knows."""
    if isinstance(outputs, str | Path):
        outputs = np.load(outputs)
    if isinstance(outputs, np.ndarray):
        outputs = torch.as_tensor(outputs, dtype=torch.get_default_dtype())
    check_floating("teacher", outputs)
    if outputs.ndim != 3 or 0 in outputs.shape:
        raise ValueError(f"Expected member outputs of shape (M, N, P), but got {describe(outputs)}.")
    if not bool(outputs.isfinite().all()):
        raise ValueError("Expected finite member outputs, but got NaN or infinity.")
    if form == "parameters" and isinstance(family, Categorical) and family.reference is None and _chances(outputs):
        warnings.warn(
            "Every row of the member outputs is at least 0 and sums to 1, as probabilities do, but is taken for "
            "logits. Pass form='probs' if they are probabilities.",
            stacklevel=2,
        )
    return family.canonical(outputs, form)


def _chances(outputs: Tensor) -> bool:
    """Whether these look like probabilities of classes."""
    return bool((outputs >= 0).all()) and bool(((outputs.sum(-1) - 1).abs() < 1e-3).all())
