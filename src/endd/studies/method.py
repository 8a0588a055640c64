"""A method of one's own: how a student learns, what it says and how it is built, from a file of the user's."""

import hashlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from endd._checks import describe
from endd.distributions import Form
from endd.families import Family
from endd.models import Student, num_outputs
from endd.objectives import Objective

#: (features, outputs) -> module.
Head = Callable[[int, int], nn.Module]


@dataclass(frozen=True)
class Method:
    """What makes a kind of student.

    objective: what it learns by. v: what it says about z; as the study's own student if None. head: (features,
    outputs) -> module, which goes on top of a network of so many features in place of a linear layer.
    """

    objective: Objective
    v: Form | None = None
    head: Head | None = None

    def student(self, network: Callable[[int], nn.Module], family: Family, v: Form, features: int) -> Student:
        """A new student. network: from the number of outputs to a network. v: the study's own."""
        form = v if self.v is None else self.v
        if self.head is None:
            return Student(network(num_outputs(family, form)), family, form)
        student = Student(network(features), family, form, features=features)
        student.head = self.head(features, num_outputs(family, form))  # type: ignore[assignment]
        return student


def load_method(place: str, family: Family) -> tuple[str, Method]:
    """The name and the method at FILE.py:NAME: an Objective, a Method, or a function of the family that gives one.

    The file is run, as any Python file of one's own.
    """
    file, _, name = place.rpartition(":")
    if not file or not Path(file).is_file():
        raise FileNotFoundError(f"Expected a method as FILE.py:NAME, but got {place!r}, and there is no such file.")
    found = getattr(_run(Path(file)), name, None)
    if callable(found) and not isinstance(found, Objective):
        found = found(family)
    if isinstance(found, Objective):
        found = Method(found)
    if not isinstance(found, Method):
        raise ValueError(
            f"Expected {name!r} in {file} to be an Objective, an endd.studies.Method or a function of the family that "
            f"returns one, but got {describe(found)}."
        )
    return name, found


def fingerprint(place: str) -> str:
    """What tells the file of a method at FILE.py:NAME from one that says something else."""
    return hashlib.sha256(Path(place.rpartition(":")[0]).read_bytes()).hexdigest()[:8]


def _run(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ValueError(f"Expected a method as FILE.py:NAME, but {str(file)!r} is no Python file. Name one that is.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
