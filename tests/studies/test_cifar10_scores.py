"""Scores of classifiers, beside those of scipy and scikit-learn."""

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

from endd.distributions import Members, Point, TemperedPoint
from endd.models import Prediction
from endd.studies.cifar10_methods import FAMILY
from endd.studies.cifar10_scores import Rows, averaged, detection_scores, pooled, row_agreement, scores_of

SPLIT = {"epistemic_spearman", "epistemic_ratio", "rejection_overlap@10"}


def members(rows: int = 60, spread: float = 1.0) -> Prediction:
    return Prediction(FAMILY, Members(spread * torch.randn(4, rows, 10).double()))


def labels(rows: int = 60) -> torch.Tensor:
    return torch.arange(rows) % 10


def test_class_scores() -> None:
    prediction, y = members(), labels()
    scores, probs = scores_of(prediction, y), prediction.probs.numpy()
    assert set(scores) == {"accuracy", "nll", "brier", "ece", "ece_quartile", "aurc"}
    assert scores["accuracy"] == pytest.approx(accuracy_score(y, probs.argmax(1)))
    assert scores["nll"] == pytest.approx(log_loss(y, probs, labels=range(10)))
    assert scores["brier"] == pytest.approx(((probs - np.eye(10)[y]) ** 2).sum(1).mean())


def test_rows_of_models_that_can_and_cannot_split() -> None:
    y = labels()
    many, one = Rows.of(members(), y), Rows.of(Prediction(FAMILY, Point(torch.randn(60, 10))), y)
    assert list(many.uncertainties()) == ["total", "aleatoric", "epistemic"]
    assert list(one.uncertainties()) == ["total"]
    tempered = Rows.of(Prediction(FAMILY, TemperedPoint.from_raw(torch.randn(60, 11))), None)
    assert list(tempered.uncertainties()) == ["total", "temperature"]
    assert tempered.wrong is None


def test_agreement_is_that_of_scipy() -> None:
    teacher, student = Rows.of(members(), None), Rows.of(members(spread=2.0), None)
    found = row_agreement(teacher, student)
    assert set(found) == SPLIT
    assert teacher.epistemic is not None
    assert student.epistemic is not None
    assert found["epistemic_spearman"] == pytest.approx(spearmanr(teacher.epistemic, student.epistemic).statistic)
    ratio = float(student.epistemic.mean() / teacher.epistemic.mean())
    assert found["epistemic_ratio"] == pytest.approx(ratio)
    assert row_agreement(teacher, teacher) == pytest.approx(dict.fromkeys(SPLIT, 1.0))


def test_what_cannot_split_agrees_by_what_it_says_instead() -> None:
    teacher = Rows.of(members(), None)
    control = Rows.of(Prediction(FAMILY, TemperedPoint.from_raw(torch.randn(60, 11))), None)
    found = row_agreement(teacher, control)
    by_entropy = spearmanr(teacher.epistemic, control.total).statistic
    by_temperature = spearmanr(teacher.epistemic, control.temperature).statistic
    assert found == pytest.approx(
        {"epistemic_spearman_entropy": by_entropy, "epistemic_spearman_temperature": by_temperature}
    )


def test_detection_is_that_of_scikit_learn() -> None:
    inside, outside = Rows.of(members(50), labels(50)), Rows.of(members(30, 0.5), None)
    found = detection_scores(inside, outside)
    assert set(found) == {"auroc_total", "auroc_aleatoric", "auroc_epistemic"}
    y = [0] * 50 + [1] * 30
    for name, values in inside.uncertainties().items():
        scores = torch.cat([values, outside.uncertainties()[name]])
        assert found[f"auroc_{name}"] == pytest.approx(roc_auc_score(y, scores))


def test_rows_are_pooled_and_scores_averaged() -> None:
    parts = [Rows.of(members(20), labels(20)), Rows.of(members(30), labels(30))]
    whole = pooled(parts)
    assert whole.temperature is None
    assert torch.equal(whole.total, torch.cat([part.total for part in parts]))
    assert whole.wrong is not None
    assert len(whole.wrong) == 50
    assert averaged([{"nll": 1.0}, {"nll": 2.0}]) == {"nll": 1.5}
