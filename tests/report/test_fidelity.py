"""The page of a student beside its ensemble."""

import torch

import endd
from endd.nn import MLP
from endd.report import render_fidelity
from endd.studies.fidelity import fidelity


def test_verdict_tables_and_figure() -> None:
    family = endd.families.Categorical(3)
    teacher = endd.Ensemble([MLP(2, [4], 3) for _ in range(4)], family)
    student = endd.Student(MLP(2, [4], endd.num_outputs(family)), family)
    x, y = torch.randn(40, 2), torch.randint(3, (40,))
    page, text = render_fidelity(fidelity(teacher, student, x, y, require="nll<=-1", resamples=3))
    assert "May the student replace its ensemble? No" in text
    for title in ("Verdict", "Prediction", "Agreement with the ensemble", "Cost", "Inputs on which they differ most"):
        assert f"## {title}" in text
        assert f"<h2>{title}</h2>" in page
    _, text = render_fidelity(fidelity(teacher, student, x, require="kl_teacher>=0", resamples=3))
    assert "May the student replace its ensemble? Yes" in text
    assert "## Prediction" not in text
