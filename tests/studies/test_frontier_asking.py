"""What the models of the frontier say and cost."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import endd
from endd.nn import ResNet
from endd.studies import frontier_asking
from endd.studies.cifar10_evaluation import Evaluation
from endd.studies.cifar10_images import load_pictures
from endd.studies.cifar10_lessons import Lessons
from endd.studies.frontier_asking import CostAsking, costs, records_kept
from endd.studies.frontier_config import PRESETS
from endd.studies.frontier_models import units
from endd.studies.result import Record, Result

CONFIG = replace(PRESETS["smoke"], groups=("ensembles",))
FAMILY = endd.families.Categorical(10)
IMAGES = torch.zeros(2, 3, 32, 32, dtype=torch.uint8)


@pytest.fixture(scope="module")
def evaluation(cifar10_study: tuple[Path, Result], tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    """Of the parts of a teacher."""
    from tests.studies.small_pictures import use_small_pictures

    (unit,), study = units(CONFIG), CONFIG.at(1)
    with pytest.MonkeyPatch.context() as patch:
        use_small_pictures(patch, tmp_path_factory.mktemp("cache"))
        pictures = load_pictures(study, None, torch.device("cpu"))
        workshop = unit.workshop(pictures, tmp_path_factory.mktemp("out"), "none", cifar10_study[0], Lessons(1))
        asking = CostAsking(study, workshop, pictures, None, None, batches=(1, 4), rounds=1)
        return Evaluation(asking.all_about(0), workshop.forms(), workshop.device)


def kept(evaluation: Evaluation, *names: str) -> dict[tuple[str, str, str], float]:
    found: list[Record] = list(records_kept(evaluation, {*names}, "ensemble_3"))
    by_name = {(record.model, record.dataset, record.metric): record.value for record in found}
    assert len(by_name) == len(found)
    return by_name


def test_members_that_answer_one_after_another_are_timed_too() -> None:
    one, two = (endd.Ensemble([ResNet(8, 10, 2) for _ in range(size)], FAMILY) for size in (1, 2))
    single, both = (costs(model, IMAGES, (1, 3), 1) for model in (one, two))
    assert {*single} == {"multiply_adds", "ms_a_row@1", "ms_a_row@3"}
    assert {*both} == {*single, "ms_a_row_loop@1", "ms_a_row_loop@3"}
    assert both["multiply_adds"] == 2 * single["multiply_adds"]


def test_multiply_adds_are_those_of_members_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Side by side on a GPU they would count zeros between members, too."""
    counted: list[str] = []

    def count(model: Any, x: Any) -> float:
        counted.append(model.stacking)
        return 1.0

    monkeypatch.setattr(frontier_asking, "multiply_adds", count)
    both = endd.Ensemble([ResNet(8, 10, 2) for _ in range(2)], FAMILY)
    assert costs(both, IMAGES, (1,), 1)["multiply_adds"] == 1.0
    assert counted == ["loop"]


def test_scores_fidelity_and_costs(evaluation: Evaluation) -> None:
    found = kept(evaluation, "ensemble_2")
    scores = {"accuracy", "nll", "ece"}
    fidelity = {"kl_teacher", "epistemic_spearman", "epistemic_ratio", "rejection_overlap@10"}
    times = {f"ms_a_row{loop}@{size}" for loop in ("", "_loop") for size in (1, 4)}
    counted = {"parameters", "multiply_adds", "train_seconds"}
    for dataset, metrics in (
        ("clean", scores | fidelity | times | counted),
        ("validation", {"nll"}),
        ("corrupted", scores | fidelity),
    ):
        assert {metric for _, place, metric in found if place == dataset} == metrics
    assert {place for _, place, _ in found} == {"clean", "validation", "corrupted"}


def test_scores_of_corrupted_images_are_means_over_the_sets(evaluation: Evaluation) -> None:
    scores = evaluation.scores["ensemble_2"]
    sets = ("brightness-1", "brightness-5", "gaussian_noise-1", "gaussian_noise-5")
    expected = sum(scores[name]["nll"] for name in sets) / 4
    assert kept(evaluation, "ensemble_2")["ensemble_2", "corrupted", "nll"] == pytest.approx(expected)


def test_the_whole_teacher_is_like_itself_and_stands_beside_its_reference(evaluation: Evaluation) -> None:
    found = kept(evaluation, "ensemble_3")
    assert found["ensemble_3", "clean", "kl_teacher"] == pytest.approx(0, abs=1e-6)
    assert found["ensemble_3", "clean", "epistemic_spearman"] == pytest.approx(1)
    assert found["ensemble_3", "clean", "kl_reference"] > 0
    assert not any(metric == "kl_reference" for _, _, metric in kept(evaluation, "ensemble_2"))


def test_one_network_has_no_epistemic_part(evaluation: Evaluation) -> None:
    metrics = {metric for _, _, metric in kept(evaluation, "single_1")}
    assert "kl_teacher" in metrics
    assert not any(metric.startswith(("epistemic", "rejection")) for metric in metrics)
