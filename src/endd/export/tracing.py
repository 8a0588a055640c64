"""From a model to a program of torch.export, with all that a file has to say about it."""

import copy
import json
from dataclasses import dataclass
from typing import Any

import torch
from sklearn.utils.validation import check_is_fitted
from torch.export import ExportedProgram

from endd import __version__
from endd._checks import describe
from endd.estimators import DistilledClassifier, DistilledRegressor
from endd.export.answer import Answer
from endd.export.examples import as_example, batch_axes, dynamic_axes, example_of, input_names
from endd.export.quiet import quietly
from endd.export.rows import EncodedRows, code_book
from endd.export.words import meanings, settings_of
from endd.models import Ensemble, Model, Student

Exported = Student | Ensemble | DistilledRegressor | DistilledClassifier


@dataclass(frozen=True)
class Traced:
    """A program, the names of its inputs, what each of its outputs means, and further words about it."""

    program: ExportedProgram
    inputs: list[str]
    outputs: dict[str, str]
    metadata: dict[str, str]


def trace(model: Exported, example: Any = None, *, interval: bool = True) -> Traced:
    """The program that answers as the model does, on the CPU, for a batch of any size."""
    answer, extra = _answer(model, interval)
    if isinstance(answer.inputs, EncodedRows):
        x: Any = answer.inputs.example()
        axes = batch_axes(x)
    else:
        x = as_example(answer.model, example_of(answer.model) if example is None else example)
        axes = dynamic_axes(x)
    answer(x)  # what is wrong with the model or the example is told in the words of predict
    try:
        with torch.no_grad(), quietly():
            program = torch.export.export(answer, (x,), dynamic_shapes={"x": axes})
    except Exception as error:
        raise not_exportable(error, "torch.export") from error
    outputs = meanings(answer)
    said = {"outputs": json.dumps(outputs), "endd_version": __version__, **_described(answer.model), **extra}
    return Traced(program, input_names(x), outputs, said)


def not_exportable(error: Exception, who: str) -> ValueError:
    """One line for whatever a network does that a graph cannot."""
    reason = str(error).strip().partition("\n")[0]
    return ValueError(f"Expected a model that can be written as a graph, but {who} gave up on it: {reason}")


def _answer(model: Exported, interval: bool) -> tuple[Answer, dict[str, str]]:
    """A copy of the model on the CPU with what turns tables into its inputs, and words about these."""
    if isinstance(model, Model):
        return Answer(copy.deepcopy(model).cpu().eval(), interval=interval), {}
    if not isinstance(model, DistilledRegressor | DistilledClassifier):
        raise TypeError(f"Expected a Student, an Ensemble or an estimator to export, but got {describe(model)}.")
    check_is_fitted(model, "student_")
    # in float64, as the estimator itself answers
    student = copy.deepcopy(model.student_).cpu().double().eval()
    said = {"columns": json.dumps(code_book(model.encoder_), ensure_ascii=False)}
    if isinstance(model, DistilledClassifier):
        said["classes"] = json.dumps([str(name) for name in model.classes_.tolist()], ensure_ascii=False)
    return Answer(student, EncodedRows(model.encoder_), interval=interval), said


def _described(model: Model) -> dict[str, str]:
    if isinstance(model, Student):
        v = model.form.__name__ if isinstance(model.form, type) else repr(model.form)
    else:
        v = "Members"
    return {"family": repr(model.family), "v": v, **settings_of(model)}
