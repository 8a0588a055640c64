"""A teacher, its student and the inputs to compare them on, from disk."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from endd.models import Ensemble, Student
from endd.persistence import load


def read_pair(teacher: Path, student: Path) -> tuple[Ensemble, Student]:
    """The two models, if they are what they should be and speak of the same thing."""
    ensemble, one = load(teacher), load(student)
    for place, model, kind in ((teacher, ensemble, Ensemble), (student, one, Student)):
        if not isinstance(model, kind):
            raise ValueError(f"Expected {kind.__name__} in {place}, but it holds {type(model).__name__}.")
    if ensemble.family.num_parameters != one.family.num_parameters or type(ensemble.family) is not type(one.family):
        raise ValueError(f"Expected models of one family, but got {ensemble.family} and {one.family}.")
    return ensemble, one


def read_inputs(file: Path) -> tuple[Any, NDArray[Any] | None]:
    """x and y of an .npz file; several arrays beside y are inputs by name."""
    try:
        with np.load(file, allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
    except (OSError, ValueError, EOFError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise ValueError(f"Expected an .npz file with x in {file}, but it cannot be read: {error}.") from None
    y = arrays.pop("y", None)
    if not arrays:
        raise ValueError(f"Expected inputs beside y in {file}, but there are none. Name them x.")
    tensors = {name: torch.as_tensor(array) for name, array in arrays.items()}
    return (tensors["x"] if list(tensors) == ["x"] else tensors), y
