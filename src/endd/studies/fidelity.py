"""May this student replace its ensemble? Both on the same inputs, with or without labels, and what each costs.

The reference is the agreement of two halves of the ensemble: a student that is nearer to the whole than they are to
each other is lost in what the ensemble itself cannot settle.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from endd.models import Ensemble, Model, Student
from endd.models.inputs import to_model
from endd.studies.cost import cost
from endd.studies.environment import environment
from endd.studies.fidelity_curves import curves_of
from endd.studies.fidelity_rows import STUDENT, TEACHER, rows_of_pair
from endd.studies.fidelity_scores import (
    Numbers,
    agreement_of,
    differences,
    intervals,
    numbers_of,
    resampled_numbers,
    resampled_places,
)
from endd.studies.policy import DEFAULT, check_policy, parse_policy
from endd.studies.result import Record, Result, records_of
from endd.training.tables import first_tensor

STUDY, DATASET, SPLIT = "fidelity", "data", "all"
# Columns of the inputs that are shown, at most.
SHOWN = 6


def fidelity(
    teacher: Ensemble,
    student: Student,
    x: Any,
    y: Any = None,
    *,
    require: str = DEFAULT,
    resamples: int = 200,
    seed: int = 0,
    columns: Mapping[str, Sequence[Any]] | None = None,
    classes: Sequence[Any] | None = None,
) -> Result:
    """Everything that speaks for or against the student, and a verdict by what is required of it.

    x: inputs as both models take them. y: targets; without them only agreement and cost are looked at. require: see
    `parse_policy`; names are those of the student's numbers and of the reference's. columns: values to show beside the
    inputs that differ most, one a row; by default those of x if it has few columns. classes: their names.
    """
    requirements = parse_policy(require)
    x, y = to_model(x, teacher), None if y is None else torch.as_tensor(y).to(_device(teacher))
    rows = rows_of_pair(teacher, student, x, y)
    found = numbers_of(rows, y)
    found[TEACHER] |= _reference(teacher, x)
    checks = check_policy(requirements, found[TEACHER] | found[STUDENT])
    places = resampled_places(len(first_tensor(x)), resamples, seed)
    spread = resampled_numbers(rows, y, places)
    found = {model: numbers | cost({TEACHER: teacher, STUDENT: student}[model], x) for model, numbers in found.items()}
    curves = curves_of(rows, y, places)
    config = {
        "rows": len(first_tensor(x)),
        "labels": y is not None,
        "members": len(teacher),
        "family": str(teacher.family),
        "v": getattr(student.form, "__name__", str(student.form)),
        "require": require,
        "checks": [[str(c.requirement), c.value, c.bound, c.met] for c in checks],
        "verdict": all(check.met for check in checks),
        "intervals": {model: intervals(spread, model) for model in found},
        "differences": differences(spread),
        "classes": None if classes is None else [str(name) for name in classes],
        "shown": _shown(columns if columns is not None else _columns(x), curves["worst_rows"].tolist()),
    }
    records = [r for model, numbers in found.items() for r in records_of(model, DATASET, SPLIT, 0, numbers)]
    return Result(STUDY, config, environment(str(_device(teacher))), list[Record](records), curves)


def _device(model: Model) -> torch.device:
    return next((p.device for p in model.parameters()), torch.device("cpu"))


def _columns(x: Any) -> Mapping[str, Sequence[Any]]:
    if not isinstance(x, Tensor) or x.ndim != 2 or x.shape[1] > SHOWN:
        return {}
    return {f"x{place}": column.tolist() for place, column in enumerate(x.unbind(1))}


def _shown(columns: Mapping[str, Sequence[Any]], places: list[int]) -> dict[str, list[str]]:
    """The first columns of some rows, as text."""
    first = list(columns.items())[:SHOWN]
    return {
        name: [f"{v:.4g}" if isinstance(v := values[at], float) else str(v) for at in places] for name, values in first
    }


def _reference(teacher: Ensemble, x: Any) -> Numbers:
    """How two halves of the ensemble agree, under names of their own; NaN where it has no two members a half."""
    names = ("kl", "epistemic_spearman", "epistemic_ratio", "rejection_overlap@10")
    renamed = [f"{a}_reference{'@' + b if b else ''}" for a, _, b in (name.partition("@") for name in names)]
    if len(teacher) < 4:
        return dict.fromkeys(renamed, float("nan"))
    one, other = (
        Ensemble(list(teacher.members)[start::2], teacher.family, output=teacher.output) for start in range(2)
    )
    rows = rows_of_pair(one, other, x, None)
    found = agreement_of(rows[TEACHER], rows[STUDENT])
    return {new: found["kl_teacher" if old == "kl" else old] for old, new in zip(names, renamed, strict=True)}
