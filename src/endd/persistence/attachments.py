"""What is attached to a student as plain data, and back: its number is among the tensors, the rest in words."""

from typing import Any

from endd._checks import describe
from endd.calibration import ConformalInterval, ConformalSet, Rejector, TemperatureScaling, VarianceScaling
from endd.models import Attachment, Student
from endd.persistence.folder import ModelFolderError
from endd.persistence.networks import State

ATTACHMENTS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (ConformalInterval, ConformalSet, Rejector, TemperatureScaling, VarianceScaling)
}


def attachments_to_plain(student: Student) -> list[dict[str, Any]]:
    """The kind and the settings of each, in the order in which they were attached."""
    return [_to_plain(part) for part in student.attached.values()]


def attachments_from_plain(plain: list[dict[str, Any]], state: State) -> list[Attachment]:
    """What `attachments_to_plain` described, with their numbers from the tensors NAME.value."""
    return [_from_plain(part, state) for part in plain]


def _to_plain(part: Any) -> dict[str, Any]:
    if ATTACHMENTS.get(type(part).__name__) is not type(part):
        raise TypeError(f"Expected what is attached to be of endd.calibration to save it, but got {describe(part)}.")
    return {"kind": type(part).__name__, "settings": part.settings()}


def _from_plain(plain: dict[str, Any], state: State) -> Attachment:
    kind = ATTACHMENTS[plain["kind"]]
    try:
        part: Attachment = kind(float(state[f"{kind.name}.value"]), **plain["settings"])
    except (ValueError, TypeError) as error:
        raise ModelFolderError(f"Expected a {plain['kind']} as it was saved, but it cannot be: {error}") from error
    return part
