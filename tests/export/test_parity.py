"""Every pair of a family and a v says the same in Python, loaded from a folder, as a program and in onnxruntime."""

import copy
from pathlib import Path

import numpy as np
import pytest
import torch

import endd
from endd.export.answer import Answer
from endd.export.onnx_file import write_onnx
from endd.export.tracing import trace
from tests.export.runtime import Arrays, arrays, check_agreement, float32_loss, opened, student_of
from tests.laws.table import DISTRIBUTIONS, FAMILIES, PAIRS

STUDENTS = [(family, v) for family, v in PAIRS if DISTRIBUTIONS[v].form is not None and family != "gaussian"]
# Many labels are drawn instead of enumerated, whatever v is: two of them say it all, and each takes its time.
STUDENTS = [
    (family, v) for family, v in STUDENTS if family != "bernoulli_many_labels" or v in ("point", "low_rank_normal")
]
# A log rate that overflows is refused in Python.
EXTREME = {"poisson": 10.0}
BATCHES = (1, 7, 1000)
# Rules of 256 points over vectors and labels take their time, in each of the four ways: a full normal stands for all.
FEW, SLOW = (1, 7, 50), ("bernoulli_labels", "bernoulli_many_labels", "multivariate_gaussian")
QUICK_FORMS = ("members", "point", "tempered_point")


def batches_of(family: str, v: str) -> tuple[int, ...]:
    return FEW if family in SLOW and v not in ("full_normal", *QUICK_FORMS) else BATCHES


def answers(student: endd.Student, x: torch.Tensor) -> Arrays:
    return arrays(Answer(student)(x))


@pytest.mark.parametrize(("family", "v"), STUDENTS)
def test_all_ways_agree(family: str, v: str, tmp_path: Path) -> None:
    student = student_of(FAMILIES[family], DISTRIBUTIONS[v].form)
    endd.save(student, tmp_path / "model")
    loaded, traced = endd.load(tmp_path / "model"), trace(student)
    write_onnx(traced, tmp_path / "model.onnx")
    wide, program, graph = copy.deepcopy(student).double(), traced.program.module(), opened(tmp_path / "model.onnx")
    batches = batches_of(family, v)
    for scale in (1.0, EXTREME.get(family, 100.0)):
        rows = scale * torch.randn(max(batches), 3)
        spread = answers(student, rows)
        # where float32 itself is far off, as a softmax of logits in the thousands is, so may a graph be
        loss = float32_loss(spread, answers(wide, rows.double())) if scale > 1 else None
        for size in batches:
            x = rows[:size]
            expected = spread if size == len(rows) else answers(student, x)
            if scale > 1 or size < len(rows):  # all rows once: the weights are the same to the last bit
                for name, value in answers(loaded, x).items():
                    np.testing.assert_array_equal(value, expected[name])
            check_agreement(arrays(program(x)), expected, spread, loss)
            check_agreement(graph(x), expected, spread, loss)
