"""scikit-learn estimators as plain data and tensors, and back: settings, columns and their codes, classes, nets."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from endd.data.tables import TableEncoder
from endd.estimators import DistilledClassifier, DistilledRegressor
from endd.models import Ensemble
from endd.persistence.models import (
    ensemble_from_plain,
    ensemble_to_plain,
    student_from_plain,
    student_to_plain,
    under,
    with_prefix,
)
from endd.persistence.networks import State
from endd.persistence.plain import (
    classes_from_plain,
    classes_to_plain,
    form_from_plain,
    form_to_plain,
    history_from_plain,
    history_to_plain,
)

ESTIMATORS: dict[str, Any] = {kind.__name__: kind for kind in (DistilledRegressor, DistilledClassifier)}
HISTORIES = {"members": "teacher_history_", "student": "student_history_"}


def estimator_to_plain(model: Any) -> tuple[dict[str, Any], State]:
    """What a fitted estimator is, and its tensors. Of a teacher that somebody else fitted nothing is kept."""
    student, state = student_to_plain(model.student_)
    tensors = with_prefix("student.", state)
    teacher = None
    if isinstance(model.teacher_, Ensemble):
        teacher, state = ensemble_to_plain(model.teacher_)
        tensors |= with_prefix("teacher.", state)
    training = {}
    for name, attribute in HISTORIES.items():
        if getattr(model, attribute) is not None:
            training[name], tensors[f"training.{name}"] = history_to_plain(getattr(model, attribute))
    columns = getattr(model, "feature_names_in_", None)
    described = {
        "kind": type(model).__name__,
        "settings": _settings(model),
        "classes": classes_to_plain(model.classes_) if hasattr(model, "classes_") else None,
        "columns": {"count": model.n_features_in_, "names": None if columns is None else columns.tolist()},
        "encoder": _arrays_out(model.encoder_.to_dict(), "encoder", tensors),
        "training": training,
        "student": student,
        "teacher": teacher,
    }
    return described, tensors


def estimator_from_plain(described: dict[str, Any], tensors: State) -> Any:
    """The estimator that `estimator_to_plain` described."""
    settings = described["settings"]
    model = ESTIMATORS[described["kind"]](
        **settings
        | {
            "hidden": tuple(settings["hidden"]),
            "student_hidden": None if settings["student_hidden"] is None else tuple(settings["student_hidden"]),
            "v": None if settings["v"] is None else form_from_plain(settings["v"]),
        }
    )
    if isinstance(settings.get("class_weight"), list):
        model.class_weight = dict(settings["class_weight"])
    if described["classes"] is not None:
        model.classes_ = classes_from_plain(described["classes"])
    model.n_features_in_ = described["columns"]["count"]
    if described["columns"]["names"] is not None:
        model.feature_names_in_ = np.array(described["columns"]["names"], dtype=object)
    model.encoder_ = TableEncoder.from_dict(_arrays_in(described["encoder"], tensors))
    model.student_ = student_from_plain(described["student"], under("student.", tensors))
    model.family_ = model.student_.family
    teacher = described["teacher"]
    model.teacher_ = None if teacher is None else ensemble_from_plain(teacher, under("teacher.", tensors))
    for name, attribute in HISTORIES.items():
        summary = described["training"].get(name)
        setattr(model, attribute, summary and history_from_plain(summary, tensors[f"training.{name}"]))
    return model


def _settings(model: Any) -> dict[str, Any]:
    """The estimator's parameters in plain types; generators and fitted teachers cannot be written down."""
    found = model.get_params(deep=False) | {"teacher": None}
    found["v"] = None if found["v"] is None else form_to_plain(found["v"])
    found["device"] = None if found["device"] is None else str(found["device"])
    seed = found["random_state"]
    found["random_state"] = int(seed) if isinstance(seed, int | np.integer) else None
    if isinstance(found.get("class_weight"), Mapping):
        found["class_weight"] = [[_number(name), float(weight)] for name, weight in found["class_weight"].items()]
    return {name: _number(value) for name, value in found.items()}


def _number(value: Any) -> Any:
    """numpy's numbers as Python's, in lists too."""
    if isinstance(value, tuple | np.ndarray) or (isinstance(value, list) and value and np.isscalar(value[0])):
        return [_number(one) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def _arrays_out(plain: Any, name: str, tensors: State) -> Any:
    """Plain data with its tables among the tensors and its short arrays as lists."""
    if isinstance(plain, dict):
        return {key: _arrays_out(value, f"{name}.{key}", tensors) for key, value in plain.items()}
    if isinstance(plain, list):
        return [_arrays_out(value, f"{name}.{place}", tensors) for place, value in enumerate(plain)]
    if isinstance(plain, np.ndarray) and plain.ndim > 1:
        tensors[name] = torch.from_numpy(np.ascontiguousarray(plain))
        return {"tensor": name}
    return plain.tolist() if isinstance(plain, np.ndarray) else plain


def _arrays_in(plain: Any, tensors: State) -> Any:
    """Undo `_arrays_out`."""
    if isinstance(plain, dict):
        if plain.keys() == {"tensor"}:
            return tensors[plain["tensor"]].numpy()
        return {key: _arrays_in(value, tensors) for key, value in plain.items()}
    return [_arrays_in(value, tensors) for value in plain] if isinstance(plain, list) else plain
