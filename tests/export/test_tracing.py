"""From a model to a program."""

import json
from typing import Any

import pytest
import torch
from sklearn.exceptions import NotFittedError
from torch import Tensor, nn

import endd
from endd.export.tracing import trace
from endd.families import Categorical, Gaussian
from tests.export.runtime import arrays, check_agreement, student_of


class Branching(nn.Linear):
    """Does what no graph can: one thing or another, by the values of its input."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) if bool((x > 0).any()) else super().forward(-x)


def test_what_cannot_be_exported_is_one_line() -> None:
    with pytest.raises(ValueError, match="Expected a model that can be written as a graph, but") as error:
        trace(endd.Student(Branching(3, 5), Gaussian()), torch.zeros(2, 3))
    assert "\n" not in str(error.value)
    with pytest.raises(TypeError, match="Expected a Student, an Ensemble or an estimator to export, but got"):
        trace(nn.Linear(3, 5))  # type: ignore[arg-type]
    with pytest.raises(NotFittedError):
        trace(endd.DistilledRegressor())
    with pytest.raises(ValueError, match="Expected finite network outputs"):
        trace(student_of(Gaussian()), torch.full((2, 3), torch.nan))


def test_the_model_stays_as_it_is() -> None:
    student = student_of(Categorical(3), endd.Dirichlet).train()
    trace(student)
    assert student.training
    assert all(parameter.requires_grad for parameter in student.parameters())


def test_what_is_said_about_a_student() -> None:
    traced = trace(student_of(Categorical(3), endd.Dirichlet))
    assert traced.inputs == ["x"]
    assert traced.metadata["family"] == "Categorical(num_classes=3, reference=None)"
    assert traced.metadata["v"] == "Dirichlet"
    assert traced.metadata["endd_version"] == endd.__version__
    assert json.loads(traced.metadata["outputs"]) == traced.outputs


@pytest.mark.parametrize("stacking", ["auto", "stacked"])
@pytest.mark.parametrize("weights", [None, torch.tensor([0.5, 0.0, 0.5])])
def test_ensembles(stacking: str, weights: Any) -> None:
    nets = [endd.nn.MLP(3, [4], 3) for _ in range(3)]
    ensemble = endd.Ensemble(nets, Categorical(3), stacking=stacking, weights=weights).eval()
    traced = trace(ensemble)
    assert traced.metadata["v"] == "Members"
    x = torch.randn(7, 3)
    prediction = ensemble.predict(x)
    found = arrays(traced.program.module()(x))
    expected = {"probabilities": prediction.probs, "total": prediction.total}
    check_agreement({name: found[name] for name in expected}, arrays(expected))
