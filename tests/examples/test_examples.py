"""Every example runs, and its student says what its teacher says."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from endd.metrics import spearman

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def run(name: str, **arguments: Any) -> Any:
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](progress="none", **arguments)


@pytest.mark.parametrize("name", ["own_family", "own_objective"])
def test_own_parts_plug_in(name: str) -> None:
    teacher, student = run(name)
    assert float(spearman(teacher.epistemic, student.epistemic)) > 0.9
    assert float((teacher.mean - student.mean).abs().max()) < 0.3


def test_a_file_of_outputs_is_enough() -> None:
    prediction, outputs = run("bare_outputs")
    assert float(abs(prediction.probs.numpy() - outputs.mean(0)).mean()) < 0.05


@pytest.mark.parametrize("name", ["diabetes", "digits", "reviews"])
def test_the_student_keeps_up_with_the_ensemble(name: str) -> None:
    single, ensemble, student = (row["nll"] for row in run(name).values())
    assert ensemble < single
    assert single - student > 0.7 * (single - ensemble)  # benchmarks/examples.py has the mean over seeds


def test_a_table_as_it_comes() -> None:
    table = run("estimator")
    assert table["R2"] > 0.3
    assert 0.85 < table["coverage of 95 %"] <= 1
    assert table["ignorance at the age of 120"] > 3 * table["ignorance (deviation)"]


def test_examples_are_short() -> None:
    for file in EXAMPLES.glob("*.py"):
        assert len(file.read_text().splitlines()) < 60, file.name
