"""What a student is taught by: an ensemble that is asked, or outputs that somebody kept."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from endd._checks import check_floating, describe
from endd.distributions import Atoms
from endd.families import Family
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
            v, _ = model._inference(to_model(part, model))
            if not isinstance(v, Atoms):
                raise TypeError(f"Expected a teacher whose v is atoms, such as an endd.Ensemble, but got {v}.")
            parts.append(v.atoms)
    z = torch.cat(parts, 1)
    if not bool(z.isfinite().all()):
        raise ValueError("Expected finite outputs from the teacher, but got NaN or infinity. Look at its members.")
    return z


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
    return family.canonical(outputs, form)
