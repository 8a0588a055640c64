"""What is attached to a student says the same in Python, loaded from a folder, as a program and in onnxruntime."""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import endd
from endd.calibration import ConformalInterval, ConformalSet, TemperatureScaling, VarianceScaling
from endd.export.answer import Answer
from endd.export.onnx_file import write_onnx
from endd.export.tracing import trace
from endd.families import Bernoulli, Categorical, Gaussian, MultivariateGaussian, Poisson
from tests.export.runtime import Arrays, arrays, check_agreement, metadata, opened, run_onnx, student_of

ROWS, DECISIONS = 1000, ("accept", "set")
# A decision may fall either way if rounding alone makes it.
CLOSE = 1e-5


def numbers(x: Tensor, method: str) -> endd.Student:
    student, y = student_of(Gaussian().in_units(100.0, 3.0)), 100 + 3 * x.sum(1)
    student.attach(VarianceScaling.fit(student.predict(x), y))
    student.attach(ConformalInterval.fit(student.predict(x), y, 0.9, method))
    return student.attach(endd.Rejector.for_coverage(student.predict(x), 0.8))


def classes(x: Tensor, method: str, v: Any = endd.DiagonalNormal) -> endd.Student:
    student, y = student_of(Categorical(4), v), x[:, :4].argmax(1)
    student.attach(TemperatureScaling.fit(student.predict(x), y))
    student.attach(ConformalSet.fit(student.predict(x), y, 0.5, method))
    return student.attach(endd.Rejector.for_coverage(student.predict(x), 0.8, by="epistemic"))


def vectors() -> endd.Student:
    return student_of(MultivariateGaussian(2), endd.Point).attach(VarianceScaling(1.7)).attach(endd.Rejector(4.0))


STUDENTS = {
    "normalised": lambda x: numbers(x, "normalised"),
    "quantile": lambda x: numbers(x, "quantile"),
    "lac": lambda x: classes(x, "lac", endd.Dirichlet),
    "aps": lambda x: classes(x, "aps"),
    "counts": lambda _: student_of(Poisson()).attach(ConformalInterval(1.5)),
    "labels": lambda _: student_of(Bernoulli()).attach(TemperatureScaling(1.7)).attach(endd.Rejector(0.6)),
    "vectors": lambda _: vectors(),
}


def clear(student: endd.Student, answer: Arrays) -> Arrays:
    """Which decisions are not a matter of rounding."""
    found = {}
    if "accept" in answer:
        rejector: Any = student.attached["rejector"]
        found["accept"] = np.abs(answer[rejector.by] - float(rejector.threshold)) > CLOSE
    if "set" in answer:
        conformal: Any = student.attached["set"]
        scores = conformal.scores(torch.tensor(answer["probabilities"])).numpy()
        found["set"] = np.abs(scores - float(conformal.margin)) > CLOSE
    return found


def check(found: Arrays, expected: Arrays, spread: Arrays, sure: Arrays) -> None:
    assert list(found) == list(expected)
    for name, mask in sure.items():
        assert found[name].dtype == np.bool_
        np.testing.assert_array_equal(found[name][mask], expected[name][mask])
        assert mask.mean() > 0.9 or mask.size < 50
    check_agreement(*({n: v for n, v in part.items() if n not in DECISIONS} for part in (found, expected, spread)))


@pytest.mark.parametrize("kind", STUDENTS)
def test_all_ways_agree(kind: str, tmp_path: Path) -> None:
    rows = torch.randn(ROWS, 3)
    student = STUDENTS[kind](rows)
    endd.save(student, tmp_path / "model")
    loaded, traced = endd.load(tmp_path / "model"), trace(student)
    write_onnx(traced, tmp_path / "model.onnx")
    program, graph, spread = traced.program.module(), opened(tmp_path / "model.onnx"), arrays(Answer(student)(rows))
    assert json.loads(metadata(tmp_path / "model.onnx")["outputs"]).keys() == spread.keys()
    for size in (1, 7, ROWS):
        x = rows[:size]
        expected = arrays(Answer(student)(x))
        sure = clear(student, expected)
        for name, value in arrays(Answer(loaded)(x)).items():
            np.testing.assert_array_equal(value, expected[name])
        check(arrays(program(x)), expected, spread, sure)
        check(graph(x), expected, spread, sure)


def test_an_estimators_student_brings_what_is_attached(classifier: Any, tmp_path: Path) -> None:
    estimator = copy.deepcopy(classifier)
    estimator.student_.attach(TemperatureScaling(2.0)).attach(endd.Rejector(0.5))
    write_onnx(trace(estimator), tmp_path / "model.onnx")
    x = {"numbers": np.zeros((3, 2)), "codes": np.zeros((3, 1), dtype=np.int64)}
    found = run_onnx(tmp_path / "model.onnx", x)
    np.testing.assert_array_equal(found["accept"], found["total"] <= 0.5)
