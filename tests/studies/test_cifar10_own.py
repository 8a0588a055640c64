"""A row of one's own in the CIFAR-10 study."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from endd.studies.cifar10_config import PRESETS
from endd.studies.cifar10_own import OwnWorkshop, add_row
from endd.studies.result import Result
from tests.studies.own_method import write_method
from tests.studies.small_pictures import use_small_pictures

MORE = """
from torch import nn
from endd.objectives import DistributionDistillation

def deeper(family):
    def head(features, outputs):
        return nn.Sequential(nn.ReLU(), nn.Linear(features, outputs))
    return Method(DistributionDistillation(), v=endd.ModuloShift.of(endd.DiagonalNormal), head=head)
"""


def test_a_row_on_every_set_and_repeat(
    cifar10_study: tuple[Path, Result], small_pictures: None, tmp_path: Path
) -> None:
    out = tmp_path / "study"
    shutil.copytree(cifar10_study[0], out)
    place = write_method(tmp_path, MORE).replace("match_moments", "deeper")
    result = add_row(cifar10_study[1], place, out, "none", device="cpu")
    for dataset in result.datasets():
        if dataset not in ("svhn", "corrupted", "validation"):
            assert result.values("deeper", "nll", dataset).keys() == result.values("ensemble", "nll", dataset).keys()
    assert result.values("deeper", "epistemic_spearman", "corrupted")
    again = add_row(cifar10_study[1], place, out, "none", device="cpu")  # not trained again
    assert again.values("deeper", "nll", "clean") == result.values("deeper", "nll", "clean")
    changed = write_method(tmp_path, MORE.replace("Method(Dist", "Method(9.0 * Dist")).replace(
        "match_moments", "deeper"
    )
    other = add_row(again, changed, out, "none", device="cpu")
    assert other.values("deeper", "nll", "clean") != result.values("deeper", "nll", "clean")


def test_students_may_start_from_a_member(
    cifar10_study: tuple[Path, Result], small_pictures: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[bool, int]] = []
    begin = OwnWorkshop.beginner

    def note(workshop: OwnWorkshop, name: str, seed: int) -> Any:
        student = begin(workshop, name, seed)
        member = workshop.members(seed).members[0]
        started.append((torch.equal(student.net.stem.weight, member.stem.weight), workshop.config.views))  # type: ignore
        return student

    monkeypatch.setattr(OwnWorkshop, "beginner", note)
    place, (folder, study) = write_method(tmp_path), cifar10_study
    rows = [
        add_row(study, place, tmp_path / "out", "none", device="cpu", teacher=folder, warm=warm)
        for warm in (False, True)
    ]
    smoke = PRESETS["smoke"]
    assert started == [(False, smoke.views)] * 2 + [(True, smoke.warm_views)] * 2  # two repeats each
    cold, warm = rows[0].values("match_moments", "nll", "clean"), rows[1].values("match_moments_warm", "nll", "clean")
    assert cold.keys() == warm.keys()
    assert cold != warm
    none = replace(study, config=study.config | {"warm": None})
    with pytest.raises(ValueError, match="a study whose students may start from a member"):
        add_row(none, place, tmp_path / "out", "none", device="cpu", teacher=folder, warm=True)


def test_names_that_only_the_start_tells_apart_are_told_apart(
    cifar10_study: tuple[Path, Result], small_pictures: None, tmp_path: Path
) -> None:
    other = "match_moments_warm = Method(3.0 * MatchMoments(), v=endd.DiagonalNormal)\n"
    place, (folder, study) = write_method(tmp_path, other), cifar10_study
    out, how = tmp_path / "out", {"device": "cpu", "teacher": folder}
    warm = add_row(study, place, out, "none", warm=True, **how)  # type: ignore[arg-type]
    assert warm.config["own"] == {"match_moments_warm": f"{place} --warm"}
    named = place.replace("match_moments", "match_moments_warm")
    with pytest.raises(ValueError, match=r"'match_moments_warm' is the row of .* --warm\. Rename"):
        add_row(warm, named, out, "none", **how)  # type: ignore[arg-type]
    own = add_row(study, named, out, "none", **how)  # type: ignore[arg-type]
    found = [result.values("match_moments_warm", "nll", "clean") for result in (warm, own)]
    assert found[0] != found[1]


def test_members_must_be_there(cifar10_study: tuple[Path, Result], tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="members of repeat 0"):
        add_row(cifar10_study[1], write_method(tmp_path), tmp_path / "empty", "none")


def test_members_may_be_elsewhere(cifar10_study: tuple[Path, Result], small_pictures: None, tmp_path: Path) -> None:
    place = write_method(tmp_path)
    with pytest.raises(FileNotFoundError, match="with --teacher"):
        add_row(cifar10_study[1], place, tmp_path / "out", "none", device="cpu")
    result = add_row(cifar10_study[1], place, tmp_path / "out", "none", device="cpu", teacher=cifar10_study[0])
    assert result.values("match_moments", "nll", "clean").keys() == result.values("ensemble", "nll", "clean").keys()
    assert not (tmp_path / "out" / "members").exists()


@pytest.mark.parametrize(
    "name", ["mixture", "distilled_diagonal", "distilled", "reference", "svi", "ensemble_symmetric"]
)
def test_a_name_that_is_taken_is_found_out_at_the_start(
    name: str, cifar10_study: tuple[Path, Result], tmp_path: Path
) -> None:
    place = write_method(tmp_path, f"{name} = match_moments\n").replace("match_moments", name)
    with pytest.raises(ValueError, match=f"Expected a name that no model of the study has, but '{name}'"):
        add_row(cifar10_study[1], place, cifar10_study[0], "none", device="cpu")


def test_members_of_other_repeats_are_refused(cifar10_study: tuple[Path, Result], tmp_path: Path) -> None:
    teacher = tmp_path / "swapped"
    shutil.copytree(cifar10_study[0], teacher)
    first, second, aside = (teacher / "members" / name for name in ("0", "1", "aside"))
    first.rename(aside)
    second.rename(first)
    aside.rename(second)
    with pytest.raises(ValueError, match="Expected the members that the folder's repeat"):
        add_row(cifar10_study[1], write_method(tmp_path), tmp_path / "out", "none", device="cpu", teacher=teacher)


def test_an_objective_alone_goes_with_the_form_of_the_study(
    cifar10_study: tuple[Path, Result], small_pictures: None, tmp_path: Path
) -> None:
    file = tmp_path / "plain.py"
    file.write_text("from endd.objectives import DistributionDistillation\nplain = DistributionDistillation()\n")
    result = add_row(
        cifar10_study[1], f"{file}:plain", tmp_path / "out", "none", device="cpu", teacher=cifar10_study[0]
    )
    assert result.values("plain", "parameters", "clean") == result.values("distilled", "parameters", "clean")


@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("own/*/0/deeper/weights.safetensors", "the weights of deeper in"),
        ("own/*/0/seconds.json", "the seconds of a training in"),
        ("members/0/seconds.json", "the seconds of a training in"),
        ("members/0/weights-*", "as it was saved, but it was changed"),
        ("members/0/model.json", "what members are in"),
        ("config.json", "Expected settings in"),
    ],
)
def test_damaged_files_are_named_and_stay(
    file: str, named: str, with_own: tuple[Path, str, Result], small_pictures: None, tmp_path: Path
) -> None:
    out, place, before = with_own
    damaged = next(out.glob(file))
    whole = damaged.read_bytes()
    try:
        for content in (whole[: len(whole) // 2], b"garbage"):
            damaged.write_bytes(content)
            with pytest.raises(ValueError, match=named) as raised:
                add_row(before, place, out, "none", device="cpu")
            assert str(damaged) in str(raised.value)
            assert "delete" in str(raised.value) or "Bring it back" in str(raised.value)
            assert damaged.read_bytes() == content
    finally:
        damaged.write_bytes(whole)


@pytest.fixture(scope="module")
def with_own(cifar10_study: tuple[Path, Result], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, Result]:
    """A study with a row of one's own: its folder, the method, and what the study found."""
    folder = tmp_path_factory.mktemp("own")
    out = folder / "study"
    shutil.copytree(cifar10_study[0], out)
    place = write_method(folder, MORE).replace("match_moments", "deeper")
    with pytest.MonkeyPatch.context() as patch:
        use_small_pictures(patch, tmp_path_factory.mktemp("cache"))
        add_row(cifar10_study[1], place, out, "none", device="cpu")
    return out, place, cifar10_study[1]
