"""Members and students of a repeat: what they learn from, and how they are kept."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from endd.studies import cifar10_training
from endd.studies.cifar10_config import PRESETS
from endd.studies.cifar10_images import load_pictures, on_device
from endd.studies.cifar10_methods import students
from endd.studies.cifar10_outputs import load_outputs, raw_outputs
from endd.studies.cifar10_training import SECONDS, Workshop, make_pool, on
from endd.studies.result import Result
from tests.studies.small_pictures import TINY

CPU = torch.device("cpu")


@pytest.fixture
def workshop(small_pictures: None, tmp_path: Path) -> Workshop:
    config = on(TINY, "cpu")
    return Workshop(config, load_pictures(config, None, CPU), tmp_path / "out", "none")


def test_the_teacher_labels_exactly_the_students_pixels(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def distil(teachers: list[Any], students: list[Any], pools: list[Any], **options: Any) -> None:
        given.extend([teachers, pools, options["objective"]])

    monkeypatch.setattr(cifar10_training, "distill_many", distil)
    workshop.students(0)
    labels, pools, objectives = given
    assert len(labels) == len(pools) == len(objectives) == 6
    assert all(one is labels[0] for one in labels)
    assert all(one is pools[0] for one in pools)
    assert pools[0].shape == (TINY.views * TINY.train_rows, 3, 32, 32)
    said = raw_outputs(workshop.members(0), pools[0])
    assert torch.equal(labels[0], torch.as_tensor(said).movedim(1, 0).float())


def test_members_tell_how_far_they_are(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pool = workshop.lesson(0).pool
    whole = workshop.labelled(0, pool).labels
    monkeypatch.setattr(cifar10_training, "ROWS_TOLD", 40)
    monkeypatch.setattr(workshop, "progress", "lines")
    assert torch.equal(workshop.labelled(0, pool).labels, whole)
    said = capsys.readouterr().err
    assert f"repeat 0: asking its members about {len(pool)} views" in said
    assert f"members: part {-(-len(pool) // 40)}/{-(-len(pool) // 40)}" in said


def test_a_pool_is_drawn_once_a_seed(workshop: Workshop) -> None:
    images = workshop.pictures.x_train
    one, again, other = (make_pool(TINY, images, seed) for seed in (0, 0, 1))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)
    assert one.dtype == torch.uint8


@pytest.mark.parametrize("part", ["blend", "warp"])
def test_a_part_of_a_pool_goes_off_the_data(workshop: Workshop, part: str) -> None:
    plain = replace(TINY, blend=0.0, warp=0.0, mix=0.0, patch=0.0)
    pools = [make_pool(replace(plain, **{part: share}), workshop.pictures.x_train, 0) for share in (0.0, 1.0)]
    assert not torch.equal(*pools)
    assert pools[0].shape == pools[1].shape


def test_members_are_made_once_and_read_ever_after(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not workshop.has_members(0)
    first = workshop.members(0)
    assert workshop.has_members(0)
    monkeypatch.setattr(cifar10_training, "fit_ensemble", None)  # nobody calls it again
    second = workshop.members(0)
    for name, tensor in first.state_dict().items():
        assert torch.equal(tensor, second.state_dict()[name])
        assert tensor.dtype in (torch.float32, torch.int64)
        if tensor.is_floating_point():
            assert torch.equal(tensor, tensor.half().float())  # as they lie on disk


def test_repeats_start_from_other_weights(workshop: Workshop) -> None:
    one, other = (workshop.members(seed).state_dict() for seed in (0, 1))
    kernels = [name for name, tensor in one.items() if tensor.ndim == 4]
    assert kernels
    assert not any(torch.equal(one[name], other[name]) for name in kernels)


def test_shares_of_the_time(workshop: Workshop) -> None:
    for folder, seconds in (("members", 10.0), ("students", 12.0)):
        (workshop.out / folder / "0").mkdir(parents=True)
        (workshop.out / folder / "0" / SECONDS).write_text(f'{{"seconds": {seconds}}}')
    shares = dict.fromkeys(students(TINY)["students"], 2.0)
    assert workshop.seconds(0) == {"ensemble": 10.0, "single": 5.0, "temperature": 5.0} | shares
    # three of them were trained together, of which two are asked about
    (workshop.out / "students" / "0" / SECONDS).write_text('{"seconds": 12.0, "models": 3}')
    taken = workshop.only(["mixture", "dirichlet"]).seconds(0)
    assert (taken["mixture"], taken["dirichlet"]) == (4.0, 4.0)


def test_a_run_of_some_students_is_not_that_of_others(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    monkeypatch.setattr(cifar10_training, "distill_many", lambda *_, run, **options: runs.append(run.name))
    for some in ({*workshop.kinds}, {"mixture", "dirichlet"}, {"mixture"}):
        workshop.only(some)._train_students([0])
    assert runs[0] == "students-0"
    assert len({*runs}) == 3


def test_another_repeats_training_is_left_alone(workshop: Workshop) -> None:
    """One that was killed goes on from there."""
    left = workshop.out / "training" / "members-5"
    left.mkdir(parents=True)
    workshop.members(0)
    assert [*(workshop.out / "training").rglob("*")] == [left]


def test_students_of_several_repeats_train_side_by_side(small_pictures: None, tmp_path: Path) -> None:
    config = on(replace(TINY, seeds=3, together=2), "cpu")
    workshop = Workshop(config, load_pictures(config, None, CPU), tmp_path / "out", "none")
    workshop.students(0)
    assert [workshop.has_students(seed) for seed in range(3)] == [True, True, False]
    first, second = ({n: s.state_dict() for n, s in workshop.students(seed).items()} for seed in (0, 1))
    assert first.keys() == second.keys() == students(config)["students"].keys()
    assert not torch.equal(first["mixture"]["net.stem.weight"], second["mixture"]["net.stem.weight"])


def test_nothing_of_training_is_left(cifar10_study: tuple[Path, Result]) -> None:
    out = cifar10_study[0]
    assert not (out / "training").exists()
    assert {path.name for path in (out / "students" / "0").iterdir()} == {*students(TINY)["students"], SECONDS}


def test_what_was_evaluated_lies_on_disk(cifar10_study: tuple[Path, Result], small_pictures: None) -> None:
    config = on(PRESETS["smoke"], "cpu")
    pictures = load_pictures(config, None, CPU)
    workshop = Workshop(config, pictures, cifar10_study[0], "none")
    outputs = load_outputs(cifar10_study[0] / "outputs.npz")[1][1]
    x = on_device(pictures.x_test, CPU)
    assert np.array_equal(raw_outputs(workshop.members(1), x), outputs.raw["ensemble"]["clean"])
    for name, student in workshop.students(1).items():
        assert np.array_equal(raw_outputs(student, x), outputs.raw[name]["clean"])


def test_a_device_that_is_not_there_is_named() -> None:
    for device in ("abacus", "cuda:99"):
        with pytest.raises(ValueError, match=f"such as cuda or cpu, but '{device}' cannot be used"):
            on(TINY, device)
    assert on(TINY, "cpu").student.device == "cpu"
    assert on(TINY, None) == TINY
