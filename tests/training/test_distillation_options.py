"""Labels, held-out parts, warm starts and objectives do what they say."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.distributions import Distribution

import endd
from endd.distributions import Atoms
from endd.families import Categorical
from endd.nn import MLP
from endd.objectives import Annealing, DirichletDistillation, DistributionDistillation, MixtureDistillation, Objective
from endd.training import distill, distill_many
from endd.training.students import default_objective
from tests.training.distilling import FAMILY, SETTINGS, STANDING, Recorded, X, constants, lines, same, student


def test_labels_pull_by_their_weight() -> None:
    labelled, means = (X, torch.full((40,), 3.0)), []
    for weight in (0.0, 0.3, 3.0):
        learner = endd.Student(MLP(1, [], 2), FAMILY, v=endd.Point)
        options = {**SETTINGS, "epochs": 150, "batch_size": 40, "learning_rate": 0.2}
        distill(constants(0.0, 0.2), learner, X, labelled=labelled if weight else None, label_weight=weight, **options)
        means.append(float(learner.predict(X).mean.mean()))
    # the minimum lies at the weighted mean of what teacher and labels say
    assert means == pytest.approx([(0.1 + weight * 3) / (1 + weight) for weight in (0.0, 0.3, 3.0)], abs=0.05)


def test_labels_of_every_job_are_in_its_own_units() -> None:
    z, y = lines(3), X[:, 0].sin()
    students = [student(), student()]
    students[1].family = FAMILY.in_units(10.0, 5.0)
    labelled = [(X, y), (X, 10 + 5 * y)]
    distill_many([z, z], students, [X, X], labelled=labelled, **{**SETTINGS, "batch_size": 40})
    same(students[0], students[1], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("way", ["plain", "sampler", "perturb"])
def test_held_out_members_are_only_seen_in_validation(way: str) -> None:
    objective, members = Recorded(DistributionDistillation()), range(10)
    inputs: Any = X if way != "sampler" else lambda count, generator: X
    perturb: Any = (lambda x, generator: x) if way == "perturb" else None
    options = {"hold_out": "members", "hold_out_share": 0.3, "objective": objective, "perturb": perturb}
    history = distill(constants(*map(float, members)), student(), inputs, **options, **SETTINGS)
    trained, validated = (
        {*torch.cat(z, -2)[..., 0].unique().tolist()} for z in (objective.trained, objective.validated)
    )
    assert len(trained) == 7
    assert trained | validated == set(members)
    assert not trained & validated
    assert len(history.best_epoch or []) == 1
    assert all("validation" in row for row in history.rows)


def test_held_out_inputs_are_only_seen_in_validation() -> None:
    objective = Recorded(DistributionDistillation())
    z = torch.arange(40.0).reshape(1, 40, 1).expand(2, 40, 2)
    distill(z, student(), X, hold_out="inputs", hold_out_share=0.25, objective=objective, **SETTINGS)
    trained, validated = (
        {*torch.cat(z, 2)[..., 0].unique().tolist()} for z in (objective.trained, objective.validated)
    )
    assert len(validated) == 10
    assert trained | validated == set(range(40))
    assert not trained & validated


def test_a_student_stops_early_on_what_was_held_out() -> None:
    settings = {**SETTINGS, "epochs": 60, "learning_rate": 0.3, "schedule": "constant"}
    history = distill(torch.randn(3, 40, 2), student(), X, hold_out="inputs", patience=4, **settings)
    assert history.best_epoch is not None
    assert len(history.rows) == history.best_epoch[0] + 4 < 60


class Own(Objective):
    """The distribution objective, written by a user."""

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        return -v.log_prob(teacher.atoms).mean(0)


def test_an_objective_of_ones_own() -> None:
    z, learner, reference = lines(4), student(), student()
    distill(z, learner, X, objective=Own(), **SETTINGS)
    distill(z, reference, X, **SETTINGS)
    same(learner, reference)


def test_objectives_add_up() -> None:
    z = lines(4)
    both = DistributionDistillation() + 2 * MixtureDistillation(FAMILY)
    history = [
        distill(z, student(), X, objective=part, **STANDING).loss[0] for part in (both, *(t for _, t in both.terms))
    ]
    assert history[0] == pytest.approx(history[1] + 2 * history[2], rel=1e-5)


@pytest.mark.parametrize(
    ("v", "kind"),
    [
        (endd.Point, MixtureDistillation),
        (endd.Dirichlet, DirichletDistillation),
        (None, DistributionDistillation),
    ],
)
def test_the_objective_follows_from_v(v: Any, kind: type[Objective]) -> None:
    family = Categorical(3)
    learner = endd.Student(MLP(1, [4], endd.num_outputs(family, v)), family, v=v)
    assert type(default_objective(learner)) is kind


def test_an_annealed_objective_moves_with_the_epochs() -> None:
    annealing = Annealing(start=8.0, hold=1, decay=0.5)
    z, learner = torch.randn(4, 40, 3), endd.Student(MLP(1, [4], 3), Categorical(3), v=endd.Dirichlet)
    options = {**STANDING, "epochs": 5, "batch_size": 40}
    history = distill(z, learner, X, objective=DirichletDistillation(annealing=annealing), **options)
    with torch.no_grad():
        v = learner(X)
    expected = [
        float(DirichletDistillation(temperature=T)(v, endd.Members(z)).mean()) for T in (8.0, 4.0, 2.0, 1.0, 1.0)
    ]
    assert history.loss == pytest.approx(expected, rel=1e-4)
