"""What the outputs of a graph mean, in words that travel with it."""

import json
import math
from typing import Any

from torch import Tensor

from endd.calibration import ConformalInterval, Rejector
from endd.export.answer import LEVEL, Answer, attached_to, has_classes
from endd.families import Family
from endd.models import Model, Student


def meanings(answer: Answer) -> dict[str, str]:
    """What each output of the graph means, in the order of the outputs.

    >>> import endd
    >>> student = endd.Student(endd.nn.MLP(3, [5], 5), endd.families.Gaussian())
    >>> meanings(Answer(student.attach(endd.Rejector(0.5, by="epistemic"))))["accept"]
    'whether the prediction is to be used: epistemic <= 0.5'
    """
    attached = attached_to(answer.model)
    said = _parts(answer.model.family)
    if answer.interval:
        kind = _interval(attached.get("interval"))
        said |= {"lower": f"the lower end of {kind}", "upper": f"the upper end of {kind}"}
    if "rejector" in attached:
        said["accept"] = f"whether the prediction is to be used: {_threshold(attached['rejector'])}"
    if "set" in attached:
        level = f"{attached['set'].level:.0%}"
        said["set"] = f"for each class, whether it is in the set that holds the true one with probability {level}"
    return said


def _parts(family: Family) -> dict[str, str]:
    if has_classes(family):
        first = {"probabilities": "the probability of each class, or of each label being 1"}
        parts = (
            "entropy of the predicted label in nats",
            "the mean entropy given the parameters",
            "the mutual information of label and parameters",
        )
    else:
        first = {"mean": "the mean of y"}
        entries = ", summed over its entries" if family.event_shape else ""
        parts = (f"variance of y{entries}", "the mean of the noise's variance", "the variance of the predicted mean")
    return first | {
        "total": f"{parts[0]}: aleatoric + epistemic",
        "aleatoric": f"noise in the data: {parts[1]}",
        "epistemic": f"ignorance of the model: {parts[2]}",
    }


def _interval(conformal: ConformalInterval | None) -> str:
    if conformal is None:
        return f"the central {LEVEL:.0%} interval of y"
    return f"the split-conformal {conformal.level:.0%} interval of y"


def _threshold(rejector: Rejector) -> str:
    return f"{rejector.by} <= {float(rejector.threshold):.6g}"


def settings_of(model: Model) -> dict[str, str]:
    """All that is attached to a student, recalibrations too, with its number and settings: JSON, or nothing."""
    if not isinstance(model, Student) or not len(model.attached):
        return {}
    parts: dict[str, Any] = dict(model.attached.items())
    return {"attached": json.dumps({name: {"value": _number(p.value), **p.settings()} for name, p in parts.items()})}


def _number(value: Tensor) -> float | str:
    """JSON knows no infinity."""
    return float(value) if math.isfinite(value) else str(float(value))
