"""A student learns what its teacher says, alone or beside others."""

import copy
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import endd
from endd.families import Categorical, Gaussian, Poisson
from endd.nn import MLP
from endd.training import distill, distill_many
from tests.training.distilling import FAMILY, SETTINGS, Constant, X, lines, same, student

THOROUGH: dict[str, Any] = {"epochs": 400, "batch_size": 40, "learning_rate": 0.2, "progress": "none"}


def test_a_normal_student_has_the_mean_and_the_covariance_of_the_members() -> None:
    z, learner = lines(), endd.Student(MLP(1, [], 5), FAMILY)
    distill(z, learner, X, **THOROUGH)
    v = learner.predict(X).v
    torch.testing.assert_close(v.mean, z.mean(0), rtol=0.02, atol=0.02)
    covariance = torch.cov(z[:, 0].T, correction=0)
    torch.testing.assert_close(v.covariance_matrix, covariance.expand(40, 2, 2), rtol=0.02, atol=0.002)


def test_a_point_student_has_the_mean_and_the_variance_of_the_mixture() -> None:
    z, learner = lines(), endd.Student(MLP(1, [], 2), FAMILY, v=endd.Point)
    distill(z, learner, X, **THOROUGH)
    prediction, mixture = learner.predict(X), endd.marginal(FAMILY, endd.Members(z))
    torch.testing.assert_close(prediction.mean, mixture.mean, rtol=0.02, atol=0.02)
    torch.testing.assert_close(prediction.variance, mixture.variance, rtol=0.02, atol=0.0)


def test_members_count_by_their_weights() -> None:
    corners, weights = [Constant(0.0, 0.0), Constant(1.0, 0.0), Constant(0.0, 1.0)], torch.tensor([0.5, 0.4, 0.1])
    learner = endd.Student(MLP(1, [], 5), FAMILY)
    distill(endd.Ensemble(corners, FAMILY, weights=weights), learner, X, **THOROUGH)
    v = learner.predict(X).v
    torch.testing.assert_close(v.mean, torch.tensor([[0.4, 0.1]]).expand(40, 2), rtol=0.02, atol=0.002)
    torch.testing.assert_close(v.variance, torch.tensor([[0.24, 0.09]]).expand(40, 2), rtol=0.02, atol=0.002)


@pytest.mark.parametrize(
    ("family", "v"),
    [
        (Gaussian(), endd.DiagonalNormal),
        (Gaussian(), endd.FullNormal),
        (Poisson(), None),
        (Categorical(4), None),
        (Categorical(4), endd.ModuloShift.of(endd.DiagonalNormal)),
        (Categorical(4), endd.Dirichlet),
        (Categorical(4), endd.Point),
        (Categorical(4, reference=0), endd.LowRankNormal.of(rank=1)),
    ],
    ids=str,
)
def test_every_v_is_learnt(family: Any, v: Any) -> None:
    learner = endd.Student(MLP(1, [6], endd.num_outputs(family, v)), family, v=v)
    z = torch.randn(5, 1, family.num_parameters) + X @ torch.randn(5, 1, family.num_parameters)
    history = distill(z, learner, X, **{**SETTINGS, "epochs": 10})
    assert history.loss[-1] < history.loss[0]


def test_two_students_side_by_side_equal_two_one_by_one() -> None:
    inputs = [X.double(), 2 * X[:35].double()]
    teachers = [torch.randn(3, len(x), 2).double() for x in inputs]
    together = [endd.Student(MLP(1, [6], 5).double(), FAMILY) for _ in range(2)]
    apart = copy.deepcopy(together)
    whole = {**SETTINGS, "batch_size": 40}  # every step sees all rows, in whatever order
    distill_many([teachers[0][:, :35], teachers[1]], together, [inputs[0][:35], inputs[1]], **whole)
    distill(teachers[0][:, :35], apart[0], inputs[0][:35], **whole)
    distill(teachers[1], apart[1], inputs[1], **whole)
    for one, other in zip(together, apart, strict=True):
        same(one, other, rtol=1e-6, atol=1e-9)


def test_students_of_folds_of_different_size_learn_side_by_side() -> None:
    inputs = [X, X[:33]]
    students = [student(), student()]
    history = distill_many([lines(3)[:, : len(x)] for x in inputs], students, inputs, **{**SETTINGS, "epochs": 20})
    assert history.loss[-1] < history.loss[0]


def test_a_head_on_features_is_trained_with_the_network() -> None:
    learner = endd.Student(MLP(1, [6], 3), FAMILY, features=3)
    before = copy.deepcopy(learner.state_dict())
    history = distill(lines(3), learner, X, **{**SETTINGS, "epochs": 10})
    assert history.loss[-1] < history.loss[0]
    assert {name for name, value in learner.state_dict().items() if torch.equal(value, before[name])} == set()


def test_a_network_may_return_a_dict() -> None:
    class Named(nn.Module):
        def __init__(self, layer: nn.Linear) -> None:
            super().__init__()
            self.layer = layer

        def forward(self, x: Tensor) -> dict[str, Tensor]:
            return {"logits": self.layer(x), "hidden": x}

    z, layer = lines(3), nn.Linear(1, 5)
    named = Named(copy.deepcopy(layer))
    distill(z, endd.Student(named, FAMILY, output="logits"), X, **SETTINGS)
    distill(z, endd.Student(layer, FAMILY), X, **SETTINGS)
    same(named.layer, layer)


class Watching(endd.objectives.DistributionDistillation):
    """Writes down how many late rows, those with z of 50 and more, a batch holds."""

    seen: list[tuple[int, int]] = []

    def __call__(self, v: Any, teacher: Any, y: Tensor | None = None) -> Tensor:
        late = (teacher.atoms[0, ..., 0] >= 50).sum()
        self.seen.append((teacher.atoms.shape[-2], int(late)))
        return super().__call__(v, teacher, y)


def test_late_rows_come_in_when_they_are_due() -> None:
    z = lines(3)
    z[:, 30:] += 100
    Watching.seen.clear()
    distill(z, student(), X, objective=Watching(), late=(10, 2), epochs=4, batch_size=15, progress="none")
    rows, late = zip(*Watching.seen, strict=True)
    assert list(rows) == [15] * 8  # epochs are as long as without them
    assert not any(late[:4])
    assert 0 < sum(late[4:6]) < 15
    assert 0 < sum(late[6:]) < 15


@pytest.mark.parametrize("wrong", [{"late": (40, 2)}, {"late": (0, 2)}, {"late": (5, 2), "hold_out": "inputs"}])
def test_late_rows_must_be_some_of_those_that_are_given(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Expected `late` rows"):
        distill(lines(3), student(), X, **{**SETTINGS, **wrong})
