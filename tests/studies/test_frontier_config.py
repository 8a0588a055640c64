"""Settings of the frontier."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import endd
from endd.nn import ResNet
from endd.studies.cifar10_config import WARM
from endd.studies.cifar10_methods import FAMILY, methods
from endd.studies.cost import multiply_adds
from endd.studies.frontier_config import PRESETS, Config, taught_by
from endd.studies.result import Result
from tests.studies.small_pictures import TINY


def test_widths_are_multiples_of_the_members_own() -> None:
    assert [Config().channels(width) for width in Config().widths] == [16, 24, 32, 64]
    assert PRESETS["smoke"].at(1.5).width == 6
    with pytest.raises(ValueError, match=r"leave a channel or more, but got 0\.01"):
        Config(widths=(0.01,))
    for width in (math.inf, math.nan, -1.0):
        with pytest.raises(ValueError, match="`widths` to be a finite number above 0, but got"):
            Config(widths=(width,))
    assert Config(widths=(1.5, 1.0, 1.5)).widths == (1.5, 1.0)


def test_the_whole_teacher_is_always_there() -> None:
    assert Config().all_sizes() == [1, 2, 3, 5, 10]
    assert replace(Config(), study=replace(TINY, members=4)).all_sizes() == [1, 2, 3, 4]


def test_students_have_their_own_number_of_epochs_and_all_else_from_the_teachers_study() -> None:
    config = Config(seeds=2, epochs=7, study=TINY)
    found = config.at(2)
    assert (found.student.epochs, found.member, found.seeds) == (7, TINY.member, 2)
    assert replace(found.student, epochs=TINY.student.epochs) == TINY.student
    assert found.corruptions == config.corruptions


def test_students_that_start_from_a_member_learn_by_the_settings_for_that() -> None:
    config = Config(epochs=3, warm=True)
    found = config.at(1)
    assert found.student == replace(WARM, epochs=3)
    assert found.views == config.study.warm_views
    assert Config().at(1).warm is None  # all others start from weights of their own
    odd = replace(config.study, width=3)
    for widths, study in (((0.5, 1.0), config.study), ((1.0, 2.0), odd)):
        with pytest.raises(ValueError, match=r"--widths of 1 or more, at which .* but got .* channels\. Odd"):
            replace(config, widths=widths, study=study)
    replace(config, widths=(1.0, 4 / 3), study=odd)
    assert replace(config, widths=(0.5,), groups=("singles",)).channels(0.5) == 8  # these start from random weights
    assert replace(config, views=7).at(2).views == 7
    assert (PRESETS["full"].at(2).views, PRESETS["full"].at(2).student) == (48, replace(WARM, epochs=24))
    with pytest.raises(ValueError, match="its setting `warm` is null"):
        replace(config, study=replace(TINY, warm=None))


def test_what_cannot_be_is_named() -> None:
    with pytest.raises(ValueError, match="groups"):
        Config(groups=("rivals",))
    with pytest.raises(ValueError, match=r"levers.*lever_ema.*but got .ema."):
        Config(levers=("ema",))
    with pytest.raises(ValueError, match="`epochs` of at least 1"):
        Config(epochs=0)


def test_the_teacher_says_how_it_was_trained(cifar10_study: tuple[Path, Result]) -> None:
    found = taught_by(Config(seeds=2), cifar10_study[0])
    assert (found.study.members, found.study.width) == (3, 4)


def test_a_teacher_that_is_not_there_is_named(cifar10_study: tuple[Path, Result], tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=f"CIFAR-10 study in {tmp_path}, but found none. Point --teacher"):
        taught_by(Config(), tmp_path)
    with pytest.raises(FileNotFoundError, match=r"members of repeat 2 in .* Fewer --seeds"):
        taught_by(Config(seeds=3), cifar10_study[0])


def test_the_small_study_is_the_same_of_smaller_networks() -> None:
    small, full = PRESETS["small"], PRESETS["full"]
    assert (small.groups, small.widths, small.all_sizes()) == (full.groups, full.widths, full.all_sizes())
    study = small.study
    student = methods(study)["distilled_dense"].student(study).eval()
    member = endd.Student(ResNet(study.depth, 10, study.width), FAMILY, endd.Point).eval()
    ours, theirs = (sum(p.numel() for p in model.parameters()) for model in (student, member))
    assert 0.95 < ours / theirs <= 1
    assert theirs < 20_000
    image = torch.zeros(1, 3, 32, 32)
    assert multiply_adds(student, image) / multiply_adds(member, image) == pytest.approx(1.5, abs=0.06)


def test_settings_are_plain() -> None:
    plain = PRESETS["full"].as_plain()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["study"]["member"]["epochs"] == 80
