"""Students that start from a member."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from endd.studies.cifar10_config import PRESETS, Config
from endd.studies.cifar10_groups import check_models
from endd.studies.cifar10_images import load_pictures
from endd.studies.cifar10_outside import LateWorkshop
from endd.studies.cifar10_training import Workshop, on
from endd.studies.cifar10_warm import WarmWorkshop, warmed
from endd.training import Recipe
from tests.studies.small_pictures import TINY

CONFIG = on(replace(TINY, warm=Recipe(epochs=3, batch_size=16), warm_views=1), "cpu")
CPU = torch.device("cpu")


@pytest.fixture
def workshop(small_pictures: None, tmp_path: Path) -> WarmWorkshop:
    return WarmWorkshop(warmed(CONFIG), load_pictures(CONFIG, None, CPU), tmp_path, "none", shelf="warm")


def test_a_student_starts_from_the_first_member_but_for_its_head(workshop: WarmWorkshop) -> None:
    for seed in (0, 1):
        member = workshop.members(seed).members[0].state_dict()
        started = workshop.beginner("distilled_warm", seed).net.state_dict()
        same = {name for name, tensor in started.items() if torch.equal(tensor, member.get(name, tensor + 1))}
        assert {*started} - same == {"head.weight", "head.bias"}


def test_a_wider_student_starts_as_the_first_members_side_by_side(small_pictures: None, tmp_path: Path) -> None:
    pictures = load_pictures(CONFIG, None, CPU)
    plain = WarmWorkshop(warmed(CONFIG), pictures, tmp_path, "none", shelf="warm")
    members = plain.members(0).members
    for width, held in ((1.5, 1), (2.0, 2), (9.0, len(members))):
        config = replace(warmed(CONFIG), width=round(width * CONFIG.width))
        stem = WarmWorkshop(config, pictures, tmp_path, "none", shelf="warm").beginner("distilled_warm", 0).net.stem
        theirs = torch.cat([member.stem.weight for member in members[:held]])  # type: ignore[union-attr, misc]
        assert torch.equal(stem.weight[: len(theirs)], theirs)
        assert len(stem.weight) == config.width


def test_it_learns_by_settings_of_its_own(workshop: WarmWorkshop) -> None:
    assert workshop.config.student == replace(CONFIG.warm, device="cpu")  # type: ignore[type-var]
    assert workshop.config.views == 1 != CONFIG.views
    assert len(workshop.lesson(0).pool) == CONFIG.train_rows
    assert {*workshop.students(0)} == {"distilled_warm"}


def test_without_such_settings_students_start_from_random_weights(small_pictures: None, tmp_path: Path) -> None:
    config = replace(CONFIG, warm=None)
    common = load_pictures(config, None, CPU), tmp_path, "none"
    late = LateWorkshop(config, *common, shelf="late")
    member = late.members(0).members[0].state_dict()
    started = late.beginner("distilled_late", 0).net.state_dict()
    assert not torch.equal(started["stem.weight"], member["stem.weight"])
    usual = Workshop(config, *common).lesson(0).pool
    assert torch.equal(late.lesson(0).pool[: len(usual)], usual)


def test_a_group_of_its_own_needs_its_settings() -> None:
    with pytest.raises(ValueError, match="groups without 'warm' in the preset short"):
        check_models(replace(PRESETS["short"], groups=("warm",)))
    check_models(Config(groups=("warm",)))
