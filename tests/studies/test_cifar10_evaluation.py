"""The numbers of a repeat, computed again by other means."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax
from scipy.stats import entropy, spearmanr
from sklearn.metrics import roc_auc_score

from endd.models import Prediction
from endd.studies.cifar10_config import PRESETS
from endd.studies.cifar10_evaluation import Evaluation
from endd.studies.cifar10_methods import methods
from endd.studies.cifar10_outputs import Outputs, load_outputs
from endd.studies.result import Result

METHODS = methods(PRESETS["smoke"])
CPU = torch.device("cpu")
SETS = ["clean", "brightness-1", "brightness-5", "gaussian_noise-1", "gaussian_noise-5"]
Array = NDArray[Any]


@pytest.fixture
def outputs(cifar10_study: tuple[Path, Result]) -> Outputs:
    return load_outputs(cifar10_study[0] / "outputs.npz")[1][0]


@pytest.fixture
def evaluation(outputs: Outputs) -> Evaluation:
    return Evaluation(outputs, METHODS, CPU)


def members(outputs: Outputs, name: str, model: str = "ensemble") -> Array:
    """Their logits (N, M, K) in double precision."""
    return outputs.raw[model][name].astype(np.float64)


def epistemic(z: Array) -> Array:
    """Mutual information of members' logits."""
    p = softmax(z, -1)
    return entropy(p.mean(1), axis=-1) - entropy(p, axis=-1).mean(1)


def predicted(outputs: Outputs, model: str, name: str) -> Prediction:
    raw = torch.as_tensor(outputs.raw[model][name]).float()
    return Prediction(METHODS[model].family, METHODS[model].form.from_raw(raw))


@pytest.mark.parametrize("name", SETS)
def test_the_ensemble_averages_its_members(outputs: Outputs, evaluation: Evaluation, name: str) -> None:
    probs, y = softmax(members(outputs, name), -1).mean(1), outputs.y
    found = evaluation.scores["ensemble"][name]
    assert found["accuracy"] == pytest.approx((probs.argmax(-1) == y).mean())
    assert found["nll"] == pytest.approx(-np.log(probs[np.arange(len(y)), y]).mean(), rel=1e-5)
    assert found["brier"] == pytest.approx(((probs - np.eye(10)[y]) ** 2).sum(-1).mean(), rel=1e-5)


@pytest.mark.parametrize("model", ["single", "temperature"])
def test_single_members_are_averaged(outputs: Outputs, evaluation: Evaluation, model: str) -> None:
    """A single network is the mean over members, as they are or at their fitted temperatures."""
    z, y = members(outputs, "clean"), outputs.y
    divisors = outputs.temperatures if model == "temperature" else np.ones(z.shape[1])
    assert not np.allclose(outputs.temperatures, 1)
    logs = log_softmax(z / divisors[:, None], -1)
    found = evaluation.scores[model]["clean"]
    assert found["nll"] == pytest.approx(-logs[np.arange(len(y)), :, y].mean(), rel=1e-5)
    assert found["accuracy"] == pytest.approx((logs.argmax(-1) == y[:, None]).mean())


@pytest.mark.parametrize("model", ["distilled_diagonal", "distilled_low_rank", "distilled_paper", "dirichlet"])
def test_agreement_with_the_teacher(outputs: Outputs, evaluation: Evaluation, model: str) -> None:
    student, teacher = predicted(outputs, model, "brightness-5"), epistemic(members(outputs, "brightness-5"))
    found = evaluation.scores[model]["brightness-5"]
    assert found["epistemic_spearman"] == pytest.approx(spearmanr(teacher, student.epistemic).statistic, abs=2e-3)
    assert found["epistemic_ratio"] == pytest.approx(student.epistemic.mean().item() / teacher.mean(), rel=1e-3)
    p, q = softmax(members(outputs, "brightness-5"), -1).mean(1), student.probs.numpy()
    assert found["kl_teacher"] == pytest.approx((p * np.log(p / q)).sum(-1).mean(), rel=1e-3, abs=1e-6)


def test_the_reference_stands_in_the_teachers_row(outputs: Outputs, evaluation: Evaluation) -> None:
    ours, theirs = (epistemic(members(outputs, "clean", model)) for model in ("ensemble", "reference"))
    found = evaluation.scores["ensemble"]["clean"]
    assert found["epistemic_spearman_reference"] == pytest.approx(spearmanr(ours, theirs).statistic, abs=2e-3)
    assert found["epistemic_ratio_reference"] == pytest.approx(theirs.mean() / ours.mean(), rel=1e-3)
    assert "reference" not in evaluation.scores


def test_the_reference_is_the_other_repeats_ensemble(cifar10_study: tuple[Path, Result]) -> None:
    first, second = load_outputs(cifar10_study[0] / "outputs.npz")[1]
    for name in first.sets():
        assert np.array_equal(first.raw["reference"][name], second.raw["ensemble"][name])
        assert np.array_equal(second.raw["reference"][name], first.raw["ensemble"][name])


def test_house_numbers_are_told_apart(outputs: Outputs, evaluation: Evaluation) -> None:
    inside, outside = (members(outputs, name) for name in ("clean", "svhn"))
    y = [0] * len(inside) + [1] * len(outside)
    found = evaluation.scores["ensemble"]["svhn"]
    by_epistemic = np.concatenate([epistemic(inside), epistemic(outside)])
    assert found["auroc_epistemic"] == pytest.approx(roc_auc_score(y, by_epistemic), abs=2e-3)
    totals = [entropy(softmax(z, -1).mean(1), axis=-1) for z in (inside, outside)]
    assert found["auroc_total"] == pytest.approx(roc_auc_score(y, np.concatenate(totals)), abs=2e-3)
    assert set(evaluation.scores["mixture"]["svhn"]) == {"auroc_total"}
    assert set(evaluation.scores["temperature_control"]["svhn"]) == {"auroc_total", "auroc_temperature"}


@pytest.mark.parametrize("model", ["single", "temperature"])
def test_members_tell_house_numbers_apart_one_by_one(outputs: Outputs, evaluation: Evaluation, model: str) -> None:
    sets = [members(outputs, name) for name in ("clean", "svhn")]
    divisors = outputs.temperatures if model == "temperature" else np.ones(sets[0].shape[1])
    areas = []
    for j, divisor in enumerate(divisors):
        totals = [entropy(softmax(z[:, j] / divisor, -1), axis=-1) for z in sets]
        areas.append(roc_auc_score([0] * len(sets[0]) + [1] * len(sets[1]), np.concatenate(totals)))
    found = evaluation.scores[model]["svhn"]
    assert set(found) == {"auroc_total"}
    assert found["auroc_total"] == pytest.approx(np.mean(areas), abs=2e-3)


def test_corrupted_sets_as_one(outputs: Outputs, evaluation: Evaluation) -> None:
    corrupted = SETS[1:]
    teacher = np.concatenate([epistemic(members(outputs, name)) for name in corrupted])
    student = np.concatenate([predicted(outputs, "distilled_low_rank", name).epistemic for name in corrupted])
    scores = evaluation.scores["distilled_low_rank"]
    found = scores["corrupted"]
    assert found["epistemic_spearman"] == pytest.approx(spearmanr(teacher, student).statistic, abs=2e-3)
    assert found["kl_teacher"] == pytest.approx(np.mean([scores[name]["kl_teacher"] for name in corrupted]))


def test_facts_and_validation_are_records_too(outputs: Outputs, evaluation: Evaluation) -> None:
    found = {(r.model, r.dataset, r.metric): r.value for r in evaluation.records()}
    assert found["ensemble", "clean", "parameters"] == outputs.facts["ensemble"]["parameters"]
    assert found["mixture", "validation", "nll"] == outputs.validation["mixture"]["nll"]
    assert ("single", "clean", "train_seconds") in found


def test_clean_images_alone_will_do(outputs: Outputs) -> None:
    outputs.raw = {model: {"clean": found["clean"]} for model, found in outputs.raw.items()}
    alone = Evaluation(outputs, METHODS, CPU)
    assert set(alone.scores["ensemble"]) == {"clean"}
    assert "mixture/risk/clean" in alone.curves()
