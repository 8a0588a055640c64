"""A method of one's own: how a student learns, what it says and how it is built, from a file of the user's."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from endd._checks import describe
from endd.distributions import Form, Members
from endd.families import Family
from endd.models import Student, num_outputs
from endd.objectives import Objective
from endd.studies.user_file import UserFileError, blaming, check_takes, run_file

# Examples of a trial.
TRIED = 4
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
        head = self.head(features, num_outputs(family, form))
        if not isinstance(head, nn.Module):
            raise TypeError(f"Expected the head to return a torch.nn.Module, but got {describe(head)}.")
        student.head = head  # type: ignore[assignment]
        return student


def load_method(place: str, family: Family, v: Form, features: int, members: int) -> tuple[str, Method]:
    """The name and the method at FILE.py:NAME: an Objective, a Method, or a function of the family that gives one.

    The file is run, as any Python file of one's own, and the method is tried: what is wrong with it is told before
    anything is trained. v, features, members: of the study, see `Method.student`.
    """
    file, colon, name = place.rpartition(":")
    if not colon or not name:
        raise ValueError(
            f"Expected a method as FILE.py:NAME, but got {place!r}. Put a colon and its name behind the file."
        )
    if not Path(file).is_file():
        raise FileNotFoundError(f"Expected a method as FILE.py:NAME, but got {place!r}, and there is no file {file!r}.")
    found = _found(Path(file), name, family)
    what = f"{name!r} in {file}"
    if not isinstance(found, Method) or not isinstance(found.objective, Objective):
        got = f"a Method of {describe(found.objective)}" if isinstance(found, Method) else describe(found)
        raise UserFileError(
            f"Expected {what} to be an Objective, an endd.studies.method.Method of one, or a function of the family "
            f"that returns one, but got {got}."
        )
    check_takes(found.objective, ("v", "teacher"), f"the objective of {what}", "")
    if isinstance(found.head, nn.Module):
        raise UserFileError(
            f"Expected the head of {what} to be a function (features, outputs) -> module, for every student gets its "
            f"own, but got the module {type(found.head).__name__}."
        )
    if found.head is not None:
        check_takes(found.head, ("features", "outputs"), f"the head of {what}", "It is to return a module of these.")
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        with blaming(Path(file), f"{what} to train a student"):
            student = _try(found, family, v, features, members)
        with blaming(Path(file), f"{what} to make students with a v that has a mean and can be drawn from"):
            _try_answer(student)
    return name, found


def _found(file: Path, name: str, family: Family) -> Any:
    """What a file has under a name, asked for a method where it is a function; an objective as a method."""
    module, what = run_file(file), f"{name!r} in {file}"
    if not hasattr(module, name):
        raise UserFileError(f"Expected {what}, but there is no such name in it. Correct what stands behind the colon.")
    found = getattr(module, name)
    if callable(found) and not isinstance(found, Objective):
        advice = "A loss is to be the __call__ of an endd.objectives.Objective."
        if isinstance(found, type):
            advice = f"Name an object, such as {name}(), and not its class."
        check_takes(found, ("family",), what, advice)
        with blaming(file, f"{what} to be a method, or a function of the family that returns one"):
            found = found(family)
    return Method(found) if isinstance(found, Objective) else found


def _try(method: Method, family: Family, v: Form, features: int, members: int) -> Student:
    """A student, after the first step of two like it on made-up members, in the shapes of training."""
    student = method.student(lambda outputs: nn.Linear(1, outputs), family, v, features)
    raw = student._raw(student.net, torch.randn(TRIED, 1))
    said = student.form.from_raw(torch.stack([raw, raw]))
    teacher = Members(torch.randn(members, 2, TRIED, family.num_parameters))
    losses = method.objective.at(0)(said, teacher)
    if not isinstance(losses, Tensor) or losses.shape != (2, TRIED):
        raise ValueError(
            f"Expected of {type(method.objective).__name__} a loss for each example, a tensor {(2, TRIED)} for v over "
            f"such a batch, but got {describe(losses)}. Sum over the parameters of z alone, the last dimension"
        )
    losses.mean().backward()
    slopes = (parameter.grad for parameter in student.parameters() if parameter.grad is not None)
    for what, found in (("losses", [losses]), ("gradients", slopes)):
        if not all(bool(tensor.isfinite().all()) for tensor in found):
            raise ValueError(
                f"Expected finite {what} for members drawn from a standard normal, but got NaN or infinity"
            )
    return student


def _try_answer(student: Student) -> None:
    """All that a study asks of a student."""
    prediction = student.predict(torch.randn(TRIED, 1))
    prediction.decompose()
    prediction.log_prob(prediction.sample())
