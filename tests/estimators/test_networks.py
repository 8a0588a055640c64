"""Ensemble and student behind an estimator."""

import numpy as np
import pytest
import torch

import endd
from endd.estimators.networks import Plan, hold_out, train_ensemble, train_student
from endd.families import Gaussian

PLAN = Plan(None, 0.01, 0, "cpu", "none")


def test_held_out_rows_have_every_class_in_proportion_and_leave_one_of_each() -> None:
    strata = np.repeat([0, 1, 2, 3], [600, 300, 99, 1])
    held = hold_out(100, strata, 1000, seed=0)
    assert len(set(held)) == 100
    assert np.abs(np.bincount(strata[held], minlength=4) - [60, 30, 10, 0]).max() <= 1
    assert len(hold_out(10, np.arange(10), 10, seed=0)) == 0
    assert len(set(hold_out(100, None, 1000, seed=0))) == 100
    assert len(hold_out(0, strata, 1000, seed=0)) == 0


def test_weights_and_early_stops_reach_the_members() -> None:
    x = torch.zeros(200, 1)
    y = torch.cat([torch.zeros(100), torch.ones(100)])
    weights = torch.cat([torch.full((100,), 3.0), torch.full((100,), 1.0)])
    held = hold_out(50, None, 200, 0)
    family = Gaussian().in_units(5.0, 2.0)
    ensemble, history = train_ensemble(x, y, weights, held, family, members=2, hidden=[4], epochs=60, plan=PLAN)
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
