"""The models of the frontier: read, trained side by side, and taught on the same pixels."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from endd.studies import cifar10_training
from endd.studies.cifar10_images import Pictures, load_pictures
from endd.studies.cifar10_lessons import Lessons
from endd.studies.cifar10_outputs import raw_outputs
from endd.studies.cifar10_training import Workshop
from endd.studies.frontier_config import PRESETS
from endd.studies.frontier_models import units
from endd.studies.result import Result

CONFIG = replace(PRESETS["smoke"], widths=(1.0, 1.5))
OWN_PIXELS = ("lever_no_mixing", "lever_no_warp", "lever_blend", "lever_push", "lever_few_views")


@pytest.fixture
def pictures(small_pictures: None) -> Pictures:
    return load_pictures(CONFIG.study, None, torch.device("cpu"))


@pytest.fixture
def workshops(cifar10_study: tuple[Path, Result], pictures: Pictures, tmp_path: Path) -> dict[str, Workshop]:
    """By the first model of each."""
    lessons = Lessons(CONFIG.together)
    return {
        next(iter(unit.kinds)): unit.workshop(pictures, tmp_path, "none", cifar10_study[0], lessons)
        for unit in units(CONFIG)
    }


def test_parts_of_the_teacher_are_its_first_members(workshops: dict[str, Workshop], pictures: Pictures) -> None:
    parts = workshops["single_1"].students(1)
    said = raw_outputs(workshops["single_1"].members(1), pictures.x_validation)
    assert list(parts) == ["single_1", "ensemble_1", "ensemble_2", "ensemble_3"]
    for name, size in (("single_1", 1), ("ensemble_2", 2), ("ensemble_3", 3)):
        assert torch.equal(
            torch.as_tensor(raw_outputs(parts[name], pictures.x_validation)), torch.as_tensor(said[:, :size])
        )


def test_students_start_from_the_first_member_where_they_are_to(
    cifar10_study: tuple[Path, Result], pictures: Pictures, tmp_path: Path
) -> None:
    for warm in (False, True):
        config = replace(CONFIG, widths=(1.0,), groups=("students",), warm=warm)
        unit = next(units(config))
        workshop = unit.workshop(pictures, tmp_path, "none", cifar10_study[0], Lessons(1))
        member = workshop.members(0).members[0].state_dict()
        for name in ("student_1", "hydra"):
            started = workshop.beginner(name, 0).net.state_dict()
            assert torch.equal(started["stem.weight"], member["stem.weight"]) == warm


def test_a_part_takes_its_share_of_the_time(workshops: dict[str, Workshop]) -> None:
    shares = workshops["single_1"].seconds(0)
    assert shares["ensemble_2"] == pytest.approx(2 * shares["single_1"])
    assert shares["ensemble_3"] == pytest.approx(shares["ensemble"])


def test_single_networks_of_all_repeats_train_side_by_side_as_members_do(
    workshops: dict[str, Workshop], monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted: list[Any] = []
    train = cifar10_training.fit_ensemble

    def note(ensemble: Any, data: Any, **named: Any) -> Any:
        fitted.append((len(ensemble), named["epochs"], data[1]))
        return train(ensemble, data, **named)

    monkeypatch.setattr(cifar10_training, "fit_ensemble", note)
    workshop = workshops["single_1.5"]
    first, second = (workshop.students(seed)["single_1.5"] for seed in (0, 1))
    ((size, epochs, labels),) = fitted
    assert (size, epochs) == (2, CONFIG.study.member.epochs)
    assert labels is workshop.pictures.y_train
    one, other = (network.state_dict()["members.0.stem.weight"] for network in (first, second))
    assert one.shape == (6, 3, 3, 3)
    assert not torch.equal(one, other)


def test_students_of_all_widths_learn_from_the_same_pixels(
    workshops: dict[str, Workshop], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[list[Any], list[Any], int]] = []

    def distil(labels: list[Any], students: list[Any], pools: list[Any], **options: Any) -> None:
        given.append((labels, pools, options["epochs"]))

    monkeypatch.setattr(cifar10_training, "distill_many", distil)
    for name in ("student_1", "student_1.5"):
        workshops[name].students(0)
    (labels, pools, epochs), (other_labels, other_pools, other_epochs) = given
    assert (len(pools), len(other_pools)) == (4, 2)  # two repeats of two kinds, and of one
    assert epochs == other_epochs == CONFIG.epochs
    for seed in range(2):
        assert pools[seed] is other_pools[seed]
        assert labels[seed] is other_labels[seed]


def test_the_teacher_is_left_alone(workshops: dict[str, Workshop], cifar10_study: tuple[Path, Result]) -> None:
    before = set(cifar10_study[0].rglob("*"))
    workshops["single_1.5"].students(0)
    assert set(cifar10_study[0].rglob("*")) == before
    out = workshops["single_1.5"].out
    assert {path.name for path in (out / "models" / "singles-1.5").iterdir()} == {"0", "1"}


def test_students_with_other_pixels_have_a_pool_of_their_own(
    cifar10_study: tuple[Path, Result], pictures: Pictures, tmp_path: Path
) -> None:
    lessons = Lessons(3)
    found = {
        next(iter(unit.kinds)): unit.workshop(pictures, tmp_path, "none", cifar10_study[0], lessons).lesson(0).pool
        for unit in units(replace(CONFIG, groups=("students", "levers"), widths=(1.0,)))
    }
    plain, own = found["student_1"], set(OWN_PIXELS)
    assert {name for name, pool in found.items() if pool is not plain} == own
    assert 2 * len(found["lever_few_views"]) == len(plain)
    for name in own - {"lever_few_views"}:
        assert found[name].shape == plain.shape
        assert not torch.equal(found[name], plain)
