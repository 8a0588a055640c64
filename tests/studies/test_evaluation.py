"""Scores of predictions whose scores are known."""

import math

import pytest
import torch

from endd.distributions import Members, Point
from endd.families import Gaussian
from endd.models import Prediction
from endd.studies.evaluation import epistemic_scores, marginal_scores, regression_scores

FAMILY = Gaussian()


def test_a_single_normal() -> None:
    z = torch.randn(500, 2)
    prediction = Prediction(FAMILY, Point(z))
    y = FAMILY(z).sample()
    scores = regression_scores(prediction, y)
    assert scores["rmse"] == pytest.approx(float((y - z[:, 0]).square().mean().sqrt()), rel=1e-5)
    assert scores["nll"] == pytest.approx(-float(FAMILY(z).log_prob(y).mean()), rel=1e-5)
    # one normal is its own moment-matched normal
    assert scores["nll_gaussian"] == pytest.approx(scores["nll"], rel=1e-4)
    assert scores.keys() == {"rmse", "nll", "nll_gaussian", "ause", "ause10"}
    assert all(math.isfinite(score) for score in scores.values())


def test_a_model_agrees_with_itself() -> None:
    teacher = Prediction(FAMILY, Members(torch.randn(10, 200, 2)))
    scores = marginal_scores(teacher, teacher) | epistemic_scores(teacher, teacher)
    assert scores["kl_teacher"] == pytest.approx(0, abs=1e-6)
    for name in ("variance_ratio", "epistemic_spearman", "epistemic_ratio", "rejection_overlap@10"):
        assert scores[name] == pytest.approx(1)


def test_a_wider_model_is_seen() -> None:
    z = torch.randn(10, 200, 2)
    wide = torch.stack([2 * z[..., 0], z[..., 1]], -1)
    teacher, model = (Prediction(FAMILY, Members(atoms)) for atoms in (z, wide))
    assert epistemic_scores(teacher, model)["epistemic_ratio"] == pytest.approx(4, rel=1e-4)
    assert epistemic_scores(teacher, model)["epistemic_spearman"] == pytest.approx(1)
    assert marginal_scores(teacher, model)["kl_teacher"] > 0.05
    assert marginal_scores(teacher, model)["variance_ratio"] > 1
