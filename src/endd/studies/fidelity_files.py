"""A teacher, its student and the inputs to compare them on, from disk."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from endd._damage import reading
from endd.data.columns import CATEGORIES, NUMBERS
from endd.data.files import TableFile
from endd.estimators import DistilledClassifier, DistilledRegressor
from endd.models import Ensemble, Student
from endd.persistence import load
from endd.streaming import ROWS, Estimator, check_columns, kinds_of
from endd.studies.result import CONFIG
from endd.studies.table import targets_of


class Pair(NamedTuple):
    """The two models, the estimator that reads tables for them if there is one, and the name of its target."""

    teacher: Ensemble
    student: Student
    estimator: Estimator | None = None
    target: str | None = None


class Data(NamedTuple):
    """Inputs as both models take them, targets if there are any, and columns and names of classes to show."""

    x: Any
    y: Any = None
    columns: Mapping[str, Sequence[Any]] | None = None
    classes: Sequence[Any] | None = None


def read_pair(teacher: Path, student: Path) -> Pair:
    """The two models, if they are what they should be and speak of the same thing.

    A folder of `endd fit` holds both. It computes in float64, as its predictions do.
    """
    loaded = {place: load(place) for place in dict.fromkeys((teacher, student))}
    ensemble, one = _part(loaded[teacher], "teacher_"), _part(loaded[student], "student_")
    for place, model, kind in ((teacher, ensemble, Ensemble), (student, one, Student)):
        if not isinstance(model, kind):
            raise ValueError(f"Expected {kind.__name__} in {place}, but it holds {type(model).__name__}.")
    if ensemble.family.num_parameters != one.family.num_parameters or type(ensemble.family) is not type(one.family):
        raise ValueError(f"Expected models of one family, but got {ensemble.family} and {one.family}.")
    readers = [model for model in loaded.values() if isinstance(model, DistilledRegressor | DistilledClassifier)]
    if len(readers) == 2 and not _same_columns(*readers):
        raise ValueError(f"Expected {teacher} and {student} to read tables alike, but they were fitted to others.")
    if not readers:
        return Pair(ensemble, one)
    return Pair(ensemble.double(), one.double(), readers[-1], _target(student) or _target(teacher))


def read_data(file: Path, pair: Pair, target: str | None = None, encoding: str = "utf-8") -> Data:
    """An .npz file with x and y, or a table; `target` names the column of the table that is y."""
    if file.suffix == ".npz":
        return Data(*read_inputs(file))
    source = TableFile(file, encoding)
    if pair.estimator is None:
        return _plain_table(source, target)
    return _encoded_table(source, pair.estimator, target or pair.target, required=target is not None)


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


def _part(model: Any, name: str) -> Any:
    """The teacher or the student of an estimator; any other model as it is."""
    return getattr(model, name) if isinstance(model, DistilledRegressor | DistilledClassifier) else model


def _same_columns(one: Estimator, other: Estimator) -> bool:
    texts = (repr(model.encoder_.to_dict()) for model in (one, other))
    return len(set(texts)) == 1


def _target(folder: Path) -> str | None:
    """What `endd fit` was told to predict, if it made the folder."""
    target = settings_of_fit(folder).get("target")
    return None if target is None else str(target)


def settings_of_fit(folder: Path) -> dict[str, Any]:
    """What `endd fit` was told, if it made the folder."""
    file = folder / CONFIG
    if not file.is_file():
        return {}
    with reading(file, "settings", "Bring it back, or delete it and name the target with --target."):
        return dict(json.loads(file.read_text()))


def _encoded_table(source: TableFile, model: Estimator, target: str | None, required: bool) -> Data:
    """Rows as the estimator encodes them; a target that nobody asked for may be missing."""
    check_columns(source, model.encoder_.names, "of training")
    if required and target is not None:
        check_columns(source, [target], "of the target")
    labelled = target is not None and target in source.names
    classes = getattr(model, "classes_", None)
    kinds = kinds_of(model.encoder_) | ({str(target): NUMBERS if classes is None else CATEGORIES} if labelled else {})
    parts = list(source.batches([*kinds], kinds, ROWS))
    if not parts:
        raise ValueError(f"Expected rows in {source.path}, but it has none.")
    table = source.pa.concat_tables(parts)
    x = torch.as_tensor(model.encoder_.transform(table.select(model.encoder_.names), strict=model.strict))
    y = targets_of(table.column(target), str(target), classes) if labelled else None
    columns = {name: table.column(name).to_pylist() for name in model.encoder_.names}
    return Data(x, y, columns, None if classes is None else classes.tolist())


def _plain_table(source: TableFile, target: str | None) -> Data:
    """All columns but the target as numbers, in their order: what a bare network takes."""
    if target is not None:
        check_columns(source, [target], "of the target")
    names = [name for name in source.names if name != target]
    table = source.read(source.names)
    try:
        columns = {name: table.column(name).to_numpy().astype(np.float64) for name in source.names}
    except (TypeError, ValueError):
        raise ValueError(
            f"Expected numbers in every column of {source.path}, which is how a bare network reads a table, but got "
            "others. Use a folder of `endd fit`, which knows its columns, or an .npz file."
        ) from None
    x = torch.as_tensor(np.stack([columns[name] for name in names], 1))
    shown = {name: columns[name].tolist() for name in names}
    return Data(x, None if target is None else _as_target(columns[target]), shown)


def _as_target(values: NDArray[np.float64]) -> Tensor:
    """Whole numbers may be classes or counts, and count as numbers where numbers are asked for."""
    whole = bool((values == np.round(values)).all())
    return torch.as_tensor(values.astype(np.int64) if whole else values)
