"""Ensemble and student behind an estimator."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import endd
from endd.distributions import Form
from endd.estimators.networks import Plan, make_pool, parts_aside, student_objective, train_ensemble, train_student
from endd.estimators.settings import Settings
from endd.families import Categorical, Gaussian
from endd.objectives import DistributionDistillation
from endd.training.students import default_objective

PLAN = Plan(None, 0.01, 0, "cpu", "none")


def test_parts_aside_have_every_class_in_proportion_and_leave_one_of_each() -> None:
    strata = np.repeat([0, 1, 2, 3], [600, 300, 99, 1])
    parts = parts_aside(100, 12, strata, 1000, seed=0)
    assert parts is not None
    for held in parts:
        assert len(set(held)) == 100
        assert np.abs(np.bincount(strata[held], minlength=4) - [60, 30, 10, 0]).max() <= 1
    # three in a class are never held out first, and all others before any comes again
    assert len(set(np.concatenate(parts[:9]))) == 900
    assert parts_aside(10, 2, np.arange(10), 10, seed=0) is None
    assert parts_aside(0, 2, strata, 1000, seed=0) is None


def test_parts_aside_of_numbers_differ() -> None:
    parts = parts_aside(100, 10, None, 1000, seed=0)
    assert parts is not None
    assert len(set(np.concatenate(parts))) == 1000
    few = parts_aside(5, 3, None, 8, seed=0)
    assert few is not None
    assert [len(set(part)) for part in few] == [5, 5, 5]


def test_weights_and_early_stops_reach_the_members() -> None:
    x = torch.zeros(200, 1)
    y = torch.cat([torch.zeros(100), torch.ones(100)])
    weights = torch.cat([torch.full((100,), 3.0), torch.full((100,), 1.0)])
    held = np.random.default_rng(0).permutation(200)[:50]
    family = Gaussian().in_units(5.0, 2.0)
    ensemble, history = train_ensemble(x, y, weights, [held, held], family, members=2, hidden=[4], epochs=60, plan=PLAN)
    assert history.best_epoch is not None
    assert ensemble.family == family
    aside = np.isin(np.arange(200), held)
    expected = np.average(y[~aside], weights=weights[~aside])
    assert float(ensemble.predict(x[:1]).mean) == pytest.approx(5 + 2 * expected, abs=0.1)


def test_a_student_learns_from_an_ensemble_or_from_what_members_said() -> None:
    pool, family = torch.randn(300, 2), Gaussian()
    members = endd.Ensemble([endd.nn.MLP(2, [8], 2) for _ in range(3)], family)
    said = members.predict(pool).v.atoms
    for teacher in (members, said):
        student, _ = train_student(teacher, pool, family, rows=300, v=None, hidden=[16], epochs=60, plan=PLAN)
        assert float((student.predict(pool).mean - members.predict(pool).mean).abs().mean()) < 0.05


def test_the_pool_is_mixed_and_disturbed_as_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.eye(4)
    plain = Settings(pool_views=3, pool_mix=0.0)
    monkeypatch.setattr("endd.estimators.networks.SETTINGS", plain)
    assert torch.equal(make_pool(x, 0), torch.cat([x, x, x]))
    monkeypatch.setattr("endd.estimators.networks.SETTINGS", replace(plain, pool_noise=0.1))
    assert float((make_pool(x, 0) - x.repeat(3, 1)).std()) == pytest.approx(0.1, rel=0.4)
    monkeypatch.setattr("endd.estimators.networks.SETTINGS", replace(plain, pool_mix=1.0))
    mixed = make_pool(x, 0)
    torch.testing.assert_close(mixed.sum(1), torch.ones(12))
    assert int((mixed > 0).sum()) > 12


def test_a_density_over_logits_also_learns_the_mean_and_the_disagreement() -> None:
    classes = Categorical(3)
    student = endd.Student(torch.nn.Linear(2, endd.num_outputs(classes)), classes)
    said = repr(student_objective(student))
    assert all(name in said for name in ("DistributionDistillation", "MixtureDistillation", "+ 6 * Epistemic"))


@pytest.mark.parametrize("v", [endd.Dirichlet, endd.Point])
def test_other_students_of_classes_learn_as_their_v_does(v: Form) -> None:
    student = endd.Student(torch.nn.Linear(2, 3), Categorical(3), v)
    assert student_objective(student) == default_objective(student)


def test_numbers_are_learnt_by_the_density() -> None:
    student = endd.Student(torch.nn.Linear(2, endd.num_outputs(Gaussian())), Gaussian())
    assert student_objective(student) == DistributionDistillation()
