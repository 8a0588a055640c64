"""Groups of models: each on its own, and one after another in the same folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from endd.studies.cifar10 import run_stepwise
from endd.studies.cifar10_asking import Asking
from endd.studies.cifar10_config import GROUPS, LATE, PRESETS
from endd.studies.cifar10_evaluation import SYMMETRIC, SYMMETRIC_SINGLE
from endd.studies.cifar10_groups import check_models, load_frost_for, names_of, workshop_of
from endd.studies.cifar10_images import load_pictures
from endd.studies.cifar10_lessons import Lessons
from endd.studies.cifar10_outputs import REFERENCE, load_outputs
from endd.studies.result import Result
from tests.studies.small_pictures import TINY, timeless

ALL = replace(TINY, groups=GROUPS, outside_rows=8)
pytestmark = pytest.mark.usefixtures("small_pictures")


def run(out: Path, config: Any, before: Result | None = None) -> Result:
    *_, result = run_stepwise(config, out, "none", device="cpu", before=before)
    return result


def test_every_group_has_a_workshop_with_its_models(tmp_path: Path) -> None:
    pictures, frost = load_pictures(ALL, None, torch.device("cpu")), load_frost_for(ALL, None)
    for group in GROUPS:
        workshop = workshop_of(group, ALL, pictures, tmp_path, "none", frost)
        members_too = {SYMMETRIC, SYMMETRIC_SINGLE} if group == "symmetric" else set()
        assert set(workshop.kinds) | members_too == names_of(group, ALL)
        assert workshop.shelf == group


def test_the_long_one_learns_the_same_for_longer(tmp_path: Path) -> None:
    lessons, common = Lessons(1), (load_pictures(ALL, None, torch.device("cpu")), tmp_path, "none", ())
    usual, long = (workshop_of(group, ALL, *common, lessons) for group in ("students", "long"))
    assert long.config.student == replace(ALL.student, epochs=ALL.longer * ALL.student.epochs)
    assert replace(long.config, student=ALL.student) == usual.config
    assert long.lesson(0) is usual.lesson(0)
    assert repr(long.kinds["distilled_long"]) == repr(usual.kinds["distilled_low_rank"])


def test_late_students_have_a_recipe_of_their_own_or_learn_as_others_do(tmp_path: Path) -> None:
    common = load_pictures(ALL, None, torch.device("cpu")), tmp_path, "none", load_frost_for(ALL, None)
    recipe = replace(ALL.student, epochs=5)
    for group in LATE:
        for late, how in ((recipe, (recipe, 7)), (None, (ALL.student, ALL.views))):
            workshop = workshop_of(group, replace(ALL, late=late, late_views=7, outside_from=0.4), *common)
            assert (workshop.config.student, workshop.config.views, workshop.config.warm) == (*how, None)
            assert workshop.late() == (4 * 8 * how[1], round(0.4 * how[0].epochs))


def test_late_students_start_from_random_weights_or_from_a_member(tmp_path: Path) -> None:
    common = load_pictures(ALL, None, torch.device("cpu")), tmp_path, "none", load_frost_for(ALL, None)
    for group in LATE:
        both = [workshop_of(group, replace(ALL, late_warm=warm), *common) for warm in (False, True)]
        assert [workshop.shelf for workshop in both] == [group, f"{group}+warm"]  # a killed run is not gone on with
        assert both[0].kinds.keys() == both[1].kinds.keys() == names_of(group, ALL)
        usual, brief = (workshop.config for workshop in both)
        assert (usual.student, usual.views, usual.warm) == (ALL.late, ALL.late_views, None)
        assert (brief.student, brief.views, brief.warm) == (ALL.warm, ALL.warm_views, ALL.warm)


def test_frost_is_read_where_it_is_learnt_from() -> None:
    assert len(load_frost_for(ALL, None)) == 5
    assert load_frost_for(TINY, None) == ()


def test_groups_one_by_one_make_the_same_study_as_all_at_once(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", ALL)
    result = None
    for group in GROUPS:
        result = run(tmp_path / "parts", replace(ALL, groups=(group,)), result)
    assert result is not None
    assert timeless(result) == timeless(whole)
    assert result.config["groups"] == whole.config["groups"] == [*GROUPS]
    assert result.config["trials"] == whole.config["trials"]
    assert {*result.curves} == {*whole.curves}
    parts, at_once = (load_outputs(tmp_path / name / "outputs.npz")[1] for name in ("parts", "whole"))
    assert [[*repeat.raw] for repeat in parts] == [[*repeat.raw] for repeat in at_once]


def test_models_of_a_group_can_be_named_and_the_others_added(tmp_path: Path) -> None:
    """They start from the same weights whichever others there are."""
    some = replace(ALL, groups=("students", "outside"), models=("distilled_low_rank", "distilled_ood"))
    first = run(tmp_path / "some", some)
    assert {*first.models()} == {"single", "temperature", "ensemble", *some.models}
    assert [path.name for path in (tmp_path / "some" / "students" / "0").iterdir() if path.is_dir()] == [some.models[0]]
    assert first.config["models"] == [*some.models]
    more = run(tmp_path / "some", replace(some, models=()), first)
    assert {*more.models()} > {"mixture", "distilled"}
    assert more.config["models"] == []
    whole = run(tmp_path / "whole", replace(some, models=()))
    for model in more.models():
        found, expected = (result.values(model, "nll", "clean") for result in (more, whole))
        assert found == pytest.approx(expected, rel=1e-3), model


def test_settings_are_tried_of_the_samplers_that_are_named(tmp_path: Path) -> None:
    some = run(tmp_path, replace(ALL, groups=("samplers",), models=("dropout",)))
    assert {*some.models()} == {"single", "temperature", "ensemble", "dropout"}
    assert {*some.config["trials"]} == {"dropout"}


def test_groups_come_in_one_order_however_they_are_named() -> None:
    assert replace(ALL, groups=("late", "outside", "students")).groups == ("students", "outside", "late")


def test_models_of_no_group_are_refused_before_anything_is_trained(tmp_path: Path) -> None:
    wrong = replace(ALL, groups=("students",), models=("distilled_ood",))
    with pytest.raises(ValueError, match=r"models of the groups students \(dirichlet, .*but got 'distilled_ood'"):
        run(tmp_path / "out", wrong)
    assert not (tmp_path / "out").exists()


def test_an_ensemble_that_has_its_numbers_is_not_compared_with_another_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = replace(ALL, seeds=2, groups=("students",))
    first = run(tmp_path, twice)
    asked: list[bool] = []
    everybody = Asking._everybody

    def note(asking: Asking, seed: int, students: Any) -> Any:
        found = everybody(asking, seed, students)
        asked.append(REFERENCE in found)
        return found

    monkeypatch.setattr(Asking, "_everybody", note)
    more = run(tmp_path, replace(twice, groups=("warm",)), first)
    assert asked == [False, False]
    assert more.values("ensemble", "kl_reference", "clean") == first.values("ensemble", "kl_reference", "clean")
    assert len(more.values("distilled_warm", "kl_teacher", "clean")) == 2


def test_what_is_to_be_done_about_a_model_can_be_done() -> None:
    short = replace(PRESETS["short"], models=("distilled_warm",))
    with pytest.raises(ValueError, match=r"but got 'distilled_warm'\. Name one of these\."):  # there is no such group
        check_models(short)
    with pytest.raises(ValueError, match="Name its group too: --groups students warm"):
        check_models(replace(PRESETS["standard"], models=("distilled_warm",)))


def test_students_are_chosen_once_they_are_there(tmp_path: Path) -> None:
    first = run(tmp_path, replace(ALL, groups=("samplers",)))
    assert "chosen" not in first.config
    assert "chosen" in run(tmp_path, replace(ALL, groups=("students",)), first).config
