"""May this student replace its ensemble? Both on the same inputs, with or without labels, and what each costs.

The reference is the agreement of two halves of the ensemble: a student that is nearer to the whole than they are to
each other is lost in what the ensemble itself cannot settle.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from endd import metrics
from endd.families import Categorical
from endd.models import Ensemble, Model, Prediction, Student
from endd.models.inputs import to_model
from endd.studies.cost import cost
from endd.studies.environment import environment
from endd.studies.evaluation import class_scores
from endd.studies.policy import DEFAULT, check_policy, parse_policy
from endd.studies.result import Record, Result, records_of
from endd.training.tables import first_tensor, map_tensors

STUDY, DATASET, SPLIT = "fidelity", "data", "all"
TEACHER, STUDENT = "ensemble", "distilled"
PARTS = ("total", "aleatoric", "epistemic")
# Rows asked about at once; rows that are listed; rows that a resampling looks at, at most.
AT_ONCE, LISTED, RESAMPLED = 2048, 20, 5000
LEVEL = 0.95

#: Numbers of every row, by name.
Rows = dict[str, Tensor]
Numbers = dict[str, float]


def fidelity(
    teacher: Ensemble,
    student: Student,
    x: Any,
    y: Any = None,
    *,
    require: str = DEFAULT,
    resamples: int = 200,
    seed: int = 0,
) -> Result:
    """Everything that speaks for or against the student, and a verdict by what is required of it.

    x: inputs as both models take them. y: targets; without them only agreement and cost are looked at. require: see
    `parse_policy`; names are those of the student's numbers and of the reference's.
    """
    requirements = parse_policy(require)
    x, y = to_model(x, teacher), None if y is None else torch.as_tensor(y).to(_device(teacher))
    rows = _rows(teacher, student, x, y)
    found = _numbers(rows, y)
    found[TEACHER] |= _reference(teacher, x)
    checks = check_policy(requirements, found[TEACHER] | found[STUDENT])
    spread = _resampled(rows, y, resamples, seed)
    found = {model: numbers | cost({TEACHER: teacher, STUDENT: student}[model], x) for model, numbers in found.items()}
    config = {
        "rows": len(first_tensor(x)),
        "labels": y is not None,
        "members": len(teacher),
        "family": str(teacher.family),
        "v": getattr(student.form, "__name__", str(student.form)),
        "require": require,
        "checks": [[str(c.requirement), c.value, c.bound, c.met] for c in checks],
        "verdict": all(check.met for check in checks),
        "intervals": {model: _intervals(spread, model) for model in found},
        "differences": _differences(spread),
    }
    records = [r for model, numbers in found.items() for r in records_of(model, DATASET, SPLIT, 0, numbers)]
    return Result(STUDY, config, environment(str(_device(teacher))), list[Record](records), _curves(rows))


def _device(model: Model) -> torch.device:
    return next((p.device for p in model.parameters()), torch.device("cpu"))


# -- rows ------------------------------------------------------------------------------------------------------------


def _parts(x: Any) -> list[Any]:
    rows = len(first_tensor(x))
    return [map_tensors(lambda t, at=at: t[at : at + AT_ONCE], x) for at in range(0, rows, AT_ONCE)]  # type: ignore[misc]


def _rows(teacher: Model, student: Model, x: Any, y: Tensor | None) -> dict[str, Rows]:
    """What both say about every row, and the divergence of the student's predictive from the teacher's."""
    targets = [None] * len(_parts(x)) if y is None else list(y.split(AT_ONCE))
    found: dict[str, list[Rows]] = {TEACHER: [], STUDENT: []}
    for part, own in zip(_parts(x), targets, strict=True):
        first, second = teacher.predict(part), student.predict(part)
        found[TEACHER].append(_said(first, own))
        found[STUDENT].append(_said(second, own) | {"kl": metrics.kl_marginal(first.marginal, second.marginal)})
    return {model: {name: torch.cat([r[name] for r in rows]) for name in rows[0]} for model, rows in found.items()}


def _said(prediction: Prediction, y: Tensor | None) -> Rows:
    classes = isinstance(prediction.family, Categorical)
    rows = {name: getattr(prediction, name) for name in PARTS}
    rows["probs" if classes else "mean"] = prediction.probs if classes else prediction.mean
    return rows if y is None else rows | {"log_prob": prediction.log_prob(y)}


def _reference(teacher: Ensemble, x: Any) -> Numbers:
    """How two halves of the ensemble agree, under names of their own; NaN where it has no two members a half."""
    names = ("kl", "epistemic_spearman", "epistemic_ratio", "rejection_overlap@10")
    renamed = [f"{a}_reference{'@' + b if b else ''}" for a, _, b in (name.partition("@") for name in names)]
    if len(teacher) < 4:
        return dict.fromkeys(renamed, float("nan"))
    one, other = (
        Ensemble(list(teacher.members)[start::2], teacher.family, output=teacher.output) for start in range(2)
    )
    rows = _rows(one, other, x, None)
    found = _agreement(rows[TEACHER], rows[STUDENT])
    return {new: found["kl_teacher" if old == "kl" else old] for old, new in zip(names, renamed, strict=True)}


# -- numbers ---------------------------------------------------------------------------------------------------------


def _numbers(rows: Mapping[str, Rows], y: Tensor | None) -> dict[str, Numbers]:
    """Scores of both where there are labels, and the student's agreement with its teacher."""
    found = {model: {} if y is None else _scores(own, y) for model, own in rows.items()}
    found[STUDENT] |= _agreement(rows[TEACHER], rows[STUDENT])
    return found


def _scores(rows: Rows, y: Tensor) -> Numbers:
    if "probs" in rows:
        return class_scores(rows["probs"], rows["log_prob"], rows["total"], y)
    found = {"rmse": metrics.rmse(rows["mean"], y.to(rows["mean"])), "nll": metrics.nll(rows["log_prob"])}
    if rows["mean"].ndim == 1:
        found["ause"] = metrics.ause(y - rows["mean"], rows["total"])
    return {name: value.item() for name, value in found.items()}


def _agreement(teacher: Rows, student: Rows) -> Numbers:
    found = {"kl_teacher": student["kl"].mean()}
    for part in PARTS:
        found[f"{part}_spearman"] = metrics.spearman(teacher[part], student[part])
        found[f"{part}_ratio"] = metrics.mean_ratio(teacher[part], student[part])
    found["rejection_overlap@10"] = metrics.rejection_overlap(teacher["epistemic"], student["epistemic"], 0.10)
    return {name: value.item() for name, value in found.items()}


def _resampled(rows: Mapping[str, Rows], y: Tensor | None, resamples: int, seed: int) -> list[dict[str, Numbers]]:
    """The numbers on rows drawn with replacement, again and again."""
    count = len(rows[TEACHER]["total"])
    generator = torch.Generator().manual_seed(seed)
    found = []
    for _ in range(resamples):
        places = torch.randint(count, (min(count, RESAMPLED),), generator=generator)
        drawn = {m: {name: values[places.to(values.device)] for name, values in own.items()} for m, own in rows.items()}
        found.append(_numbers(drawn, None if y is None else y[places.to(y.device)]))
    return found


def _intervals(spread: list[dict[str, Numbers]], model: str) -> dict[str, list[float]]:
    return {name: _ends([each[model][name] for each in spread]) for name in (spread[0][model] if spread else ())}


def _differences(spread: list[dict[str, Numbers]]) -> dict[str, list[float]]:
    """Ends of the interval of student minus teacher, paired."""
    shared = [name for name in spread[0][TEACHER] if name in spread[0][STUDENT]] if spread else []
    return {name: _ends([each[STUDENT][name] - each[TEACHER][name] for each in spread]) for name in shared}


def _ends(values: list[float]) -> list[float]:
    outside = (1 - LEVEL) / 2
    low, high = np.quantile(values, [outside, 1 - outside])
    return [float(low), float(high)]


def _curves(rows: Mapping[str, Rows]) -> dict[str, Any]:
    """What is drawn, and the rows on which both differ most."""
    worst = rows[STUDENT]["kl"].topk(min(LISTED, len(rows[STUDENT]["kl"]))).indices
    curves = {f"{model}/{part}": own[part].float().cpu().numpy() for model, own in rows.items() for part in PARTS}
    listed = torch.stack([rows[STUDENT]["kl"], *(own[part] for own in rows.values() for part in PARTS)], 1)
    return curves | {"worst_rows": worst.cpu().numpy(), "worst": listed[worst].double().cpu().numpy()}
