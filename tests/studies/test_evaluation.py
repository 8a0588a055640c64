"""Scores of predictions whose scores are known."""

import math

import pytest
import torch

from endd.distributions import Members, Point
from endd.families import Gaussian
from endd.models import Prediction
from endd.studies.evaluation import (
    agreement,
    central_level,
    epistemic_scores,
    interval_scores,
    marginal_scores,
    regression_scores,
)

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
    scores = marginal_scores(teacher, teacher) | epistemic_scores(teacher.epistemic, teacher.epistemic)
    assert scores["kl_teacher"] == pytest.approx(0, abs=1e-6)
    for name in ("variance_ratio", "epistemic_spearman", "epistemic_ratio", "rejection_overlap@10"):
        assert scores[name] == pytest.approx(1)


def test_a_wider_model_is_seen() -> None:
    z = torch.randn(10, 200, 2)
    wide = torch.stack([2 * z[..., 0], z[..., 1]], -1)
    teacher, model = (Prediction(FAMILY, Members(atoms)) for atoms in (z, wide))
    assert epistemic_scores(teacher.epistemic, model.epistemic)["epistemic_ratio"] == pytest.approx(4, rel=1e-4)
    assert epistemic_scores(teacher.epistemic, model.epistemic)["epistemic_spearman"] == pytest.approx(1)
    assert marginal_scores(teacher, model)["kl_teacher"] > 0.05
    assert marginal_scores(teacher, model)["variance_ratio"] > 1


def test_intervals_of_a_calibrated_model_hold_what_they_say() -> None:
    z = torch.randn(20_000, 2)
    prediction, y = Prediction(FAMILY, Point(z)), FAMILY(z).sample()
    level = central_level(prediction, y)
    assert float(level.mean()) == pytest.approx(0.5, abs=0.01)
    scores = interval_scores(prediction, y)
    assert scores["coverage95"] == pytest.approx(0.95, abs=0.01)
    # the expected CRPS of a calibrated normal is its deviation / sqrt(pi)
    assert scores["crps"] == pytest.approx(float(FAMILY(z).stddev.mean()) / math.sqrt(math.pi), rel=0.02)


def test_coverage_is_that_of_the_interval() -> None:
    prediction = Prediction(FAMILY, Members(torch.randn(5, 300, 2)))
    y = 3 * torch.randn(300)
    lower, upper = prediction.interval(0.95)
    assert interval_scores(prediction, y)["coverage95"] == pytest.approx(
        float(((lower <= y) & (y <= upper)).float().mean())
    )


def test_a_single_atom_has_no_epistemic_part_to_agree_on() -> None:
    z = torch.randn(10, 200, 2)
    predictions = {
        "ensemble": Prediction(FAMILY, Members(z)),
        "reference": Prediction(FAMILY, Members(z + 0.1)),
        "single": Prediction(FAMILY, Members(z[:1])),
        "mixture": Prediction(FAMILY, Point(z[0])),
    }
    ours, theirs = (agreement(name, predictions) for name in ("ensemble", "reference"))
    assert ours == {
        "kl_reference": theirs["kl_teacher"],
        "epistemic_spearman_reference": theirs["epistemic_spearman"],
    }
    for name in ("single", "mixture"):
        assert agreement(name, predictions).keys() == {"kl_teacher", "variance_ratio"}
