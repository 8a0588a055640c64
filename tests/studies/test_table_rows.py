"""Numbers of every row, and scores, are those of the whole table at once."""

import math
from typing import Any

import pytest
import torch

import endd
from endd.families import Categorical, Gaussian
from endd.nn import MLP
from endd.studies.evaluation import interval_scores, marginal_scores, regression_scores
from endd.studies.table_rows import errors, kl_teacher, rows_of, scores_of

X = torch.randn(60, 3, generator=torch.Generator().manual_seed(0))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("endd.studies.table_rows.AT_ONCE", 25)


@pytest.fixture
def pair() -> tuple[endd.Ensemble, endd.Student]:
    family = Gaussian().in_units(5.0, 2.0)
    return endd.Ensemble([MLP(3, [4], 2) for _ in range(3)], family), endd.Student(MLP(3, [4], 5), family)


def test_scores_of_numbers(pair: Any) -> None:
    y, told = 5 + X[:, 0].double(), []
    for model in pair:
        rows = rows_of(model, X, y, told.append)
        whole = model.double().predict(X)
        expected = regression_scores(whole, y) | interval_scores(whole, y)
        found = scores_of(rows, y)
        assert found == pytest.approx({name: expected[name] for name in found}, rel=1e-9)
        torch.testing.assert_close(rows["epistemic"], whole.epistemic)
        torch.testing.assert_close(errors(rows, y), y - whole.mean)
    assert told == [25, 25, 10] * 2
    assert next(pair[0].parameters()).dtype == torch.float64  # by the test itself: rows_of works on a copy


def test_scores_of_classes() -> None:
    family, y = Categorical(3), torch.arange(60) % 3
    student = endd.Student(MLP(3, [4], endd.num_outputs(family)), family)
    rows = rows_of(student, X, y)
    found = scores_of(rows, y)
    assert found.keys() == {"nll", "accuracy", "brier", "ece", "ause"}
    assert found["accuracy"] == pytest.approx(1 - float(errors(rows, y).mean()))
    assert found["nll"] == pytest.approx(-float(rows["probs"][torch.arange(60), y].log().mean()))
    assert next(student.parameters()).dtype == torch.float32


def test_the_divergence_from_the_teacher(pair: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ensemble, student = pair
    assert kl_teacher(ensemble, ensemble, X) == pytest.approx(0, abs=1e-9)
    expected = marginal_scores(ensemble.double().predict(X), student.double().predict(X))["kl_teacher"]
    assert kl_teacher(ensemble, student, X) == pytest.approx(expected)
    monkeypatch.setattr("endd.studies.table_rows.COMPARED", 20)
    assert math.isfinite(kl_teacher(ensemble, student, X))
