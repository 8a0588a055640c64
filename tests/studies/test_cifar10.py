"""The CIFAR-10 study from end to end, at its smallest."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from endd.engines import Engine
from endd.studies import cifar10_images, cifar10_parts, cifar10_training
from endd.studies.cifar10 import PRESETS, Config, evaluate_outputs, run_stepwise
from endd.studies.cifar10_evaluation import Evaluation
from endd.studies.cifar10_methods import Kind, methods
from endd.studies.cifar10_outputs import load_outputs
from endd.studies.result import Record, Result
from endd.studies.training import options
from endd.training.loop import Loop
from tests.studies.small_pictures import TINY, Killed, timeless, use_small_pictures

ALONE = ("single", "temperature", "ensemble", "mixture", "dirichlet", "distilled_paper", "temperature_control")
FIELD = (
    *("hydra", "proxy_dirichlet", "dirichlet_plain", "distilled_dense", "distilled_warm", "distilled_ood"),
    *("distilled_late", "dropout", "ll_dropout", "svi", "ll_svi"),
    *("distilled_symmetric", "single_symmetric", "ensemble_symmetric", "distilled_long"),
)
SETS = ("clean", "brightness-1", "brightness-5", "gaussian_noise-1", "gaussian_noise-5")
SCORES = {"accuracy", "nll", "brier", "ece", "ece_quartile"}
TWICE = replace(TINY, seeds=2)
REAL = [Path(os.environ.get("ENDD_DATA", "nowhere")) / name for name in ("cifar10", "svhn")]


def run(out: Path, config: Any = TWICE, **given: Any) -> Result:
    *_, result = run_stepwise(config, out, "none", device="cpu", **given)
    return result


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Two repeats in one go."""
    with pytest.MonkeyPatch.context() as patch:
        use_small_pictures(patch, tmp_path_factory.mktemp("cache"))
        return run(tmp_path_factory.mktemp("undisturbed"))


def kill_at(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, call: int) -> list[int]:
    """Let the given call of a function end the run; returns how often it was called before and after."""
    original, calls = getattr(owner, name), []

    def wrapper(*arguments: Any, **given: Any) -> Any:
        calls.append(len(calls))
        if len(calls) == call:
            raise Killed
        return original(*arguments, **given)

    monkeypatch.setattr(owner, name, wrapper)
    return calls


# -- what is found -------------------------------------------------------------------------------------------------


def test_every_method_has_its_scores_on_every_set(cifar10_study: tuple[Path, Result]) -> None:
    result = Result.load(cifar10_study[0])
    (other,) = {"distilled_diagonal", "distilled_low_rank"} - {result.config["chosen"]["model"]}
    models = {*ALONE, *FIELD, "distilled", other}
    assert {*result.models()} == models
    found: dict[tuple[str, str], set[str]] = {}
    for record in result.records:
        found.setdefault((record.model, record.dataset), set()).add(record.metric)
    for model in models:
        for name in SETS:
            assert found[model, name] >= SCORES
        assert "auroc_total" in found[model, "svhn"]


def test_records_are_tidy(cifar10_study: tuple[Path, Result]) -> None:
    result = cifar10_study[1]
    keys = [(r.model, r.dataset, r.split, r.seed, r.metric) for r in result.records]
    assert len(set(keys)) == len(keys)
    assert {r.seed for r in result.records} == {0, 1}
    assert {*result.datasets()} == {*SETS, "svhn", "corrupted", "validation"}
    assert np.isfinite([r.value for r in result.records]).all()


def test_it_leaves_its_parts_behind(cifar10_study: tuple[Path, Result]) -> None:
    names = {path.name for path in cifar10_study[0].iterdir()}
    groups = {"students", "rivals", "dense", "symmetric", "long", "warm", "outside", "late", "samplers"}
    assert names == groups | {"members", "outputs.npz", "metrics.json", "config.json", "curves.npz"}


@pytest.mark.skipif(
    not all(place.is_dir() for place in REAL), reason="ENDD_DATA names no folder with CIFAR-10 and SVHN"
)
def test_the_real_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cifar10_images, "cache_folder", lambda other: tmp_path / "cache")
    result = run(tmp_path / "out", PRESETS["smoke"])
    assert {*result.models()} > {*ALONE, *FIELD, "distilled"}
    assert {*result.datasets()} == {*SETS, "svhn", "corrupted", "validation"}


# -- from kept outputs ---------------------------------------------------------------------------------------------


def close(ours: list[Record], theirs: list[Record]) -> None:
    """The same records, up to rounding."""
    one, other = ({(r.model, r.dataset, r.seed, r.metric): r.value for r in found} for found in (ours, theirs))
    assert one == pytest.approx(other, rel=1e-6, abs=1e-9)


def test_all_outputs_give_the_studys_numbers(cifar10_study: tuple[Path, Result]) -> None:
    again = evaluate_outputs(cifar10_study[0] / "outputs.npz")
    close(again.records, cifar10_study[1].records)
    assert again.config["chosen"] == cifar10_study[1].config["chosen"]
    assert {*again.curves} == {*cifar10_study[1].curves}


@pytest.mark.usefixtures("small_pictures")
def test_some_outputs_give_the_numbers_of_those_rows(tmp_path: Path) -> None:
    run(tmp_path, TINY)
    (repeat,) = load_outputs(tmp_path / "outputs.npz")[1]
    assert len(repeat.y) == TINY.kept_rows
    result = evaluate_outputs(tmp_path / "outputs.npz")
    assert (result.config["test_rows"], result.config["seeds"]) == (TINY.kept_rows, 1)
    expected = Evaluation(repeat, methods(TINY), torch.device("cpu"))
    best = result.config["chosen"]["model"]
    named = [replace(r, model="distilled") if r.model == best else r for r in expected.records()]
    assert result.records == named


def test_outputs_from_before_a_setting_have_it_as_it_was_then() -> None:
    result = evaluate_outputs(Path(__file__).parents[2] / "results" / "cifar10" / "outputs.npz")
    assert result.config["late_warm"] is True
    assert {*Config().as_plain()} <= {*result.config}


# -- going on ------------------------------------------------------------------------------------------------------


def test_killed_while_members_train(
    trained: list[str], undisturbed: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second epoch goes on from the checkpoint of the first."""
    often = {"checkpoint_seconds": 0.0}
    monkeypatch.setattr(cifar10_training, "options", lambda recipe, seed: options(recipe, seed) | often)
    epochs = kill_at(monkeypatch, Loop, "_run_epoch", call=2)
    with pytest.raises(Killed):
        run(tmp_path)
    assert (tmp_path / "training" / "members-0" / "checkpoint.pt").exists()
    assert timeless(run(tmp_path)) == timeless(undisturbed)
    # two epochs each of two ensembles and of the students of two repeats, one of them begun twice
    assert len(epochs) == 2 * 4 + 1
    assert trained == ["fit_ensemble"] * 3 + ["distill_many"] * 2


def test_killed_after_the_members(
    trained: list[str], undisturbed: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_at(monkeypatch, cifar10_training, "make_pool", call=1)
    with pytest.raises(Killed):
        run(tmp_path)
    assert trained == ["fit_ensemble"] * 2
    assert timeless(run(tmp_path)) == timeless(undisturbed)
    assert trained == ["fit_ensemble"] * 2 + ["distill_many"] * 2


def test_killed_after_the_students(
    trained: list[str], undisturbed: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_at(monkeypatch, cifar10_parts, "evaluated", call=1)
    with pytest.raises(Killed):
        run(tmp_path)
    assert trained == ["fit_ensemble"] * 2 + ["distill_many"]
    assert timeless(run(tmp_path)) == timeless(undisturbed)
    assert trained == ["fit_ensemble"] * 2 + ["distill_many"] * 2


def test_killed_after_a_repeat(trained: list[str], undisturbed: Result, tmp_path: Path) -> None:
    steps = run_stepwise(TWICE, tmp_path, "none", device="cpu")
    first = next(steps)
    steps.close()
    assert {record.seed for record in first.records} == {0}
    first.save(tmp_path)
    both = run(tmp_path, before=Result.load(tmp_path))
    assert timeless(both) == timeless(undisturbed)
    assert both.curves.keys() == undisturbed.curves.keys()
    for name, curve in undisturbed.curves.items():
        assert np.array_equal(both.curves[name], curve)
    assert trained == ["fit_ensemble"] * 2 + ["distill_many"] * 2


def of_models(result: Result, seed: int) -> dict[tuple[str, str, str], float]:
    """The numbers of a repeat by the models' own names."""
    best = result.config["chosen"]["model"]
    named = [replace(r, model=best) if r.model == "distilled" else r for r in result.records]
    return {(r.model, r.dataset, r.metric): r.value for r in named if r.seed == seed}


def test_repeats_can_be_added_later(trained: list[str], undisturbed: Result, tmp_path: Path) -> None:
    first = run(tmp_path, TINY, keep_outputs=True)
    both = run(tmp_path, TWICE, before=first, keep_outputs=True)
    assert of_models(both, 0) == of_models(first, 0)
    assert both.config["seeds"] == 2
    assert both.config["chosen"]["model"] == undisturbed.config["chosen"]["model"]
    assert trained == ["fit_ensemble", "distill_many"] * 2
    assert [one.seed for one in load_outputs(tmp_path / "outputs.npz")[1]] == [0, 1]
    # the second has the first as its reference, the first had none
    references = [r.seed for r in both.records if (r.dataset, r.metric) == ("clean", "kl_reference")]
    assert references == [1]


def test_processes_make_the_same_study(
    small_pictures: None, undisturbed: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also on top of the members of one repeat that are there already."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    out = tmp_path / "out"
    kill_at(monkeypatch, cifar10_training, "fit_ensemble", call=2)
    with pytest.raises(Killed):
        run(out)
    result = run(out, engine=Engine(workers=2))
    assert timeless(result) == timeless(undisturbed)
    assert result.config == undisturbed.config
    for name, curve in undisturbed.curves.items():
        assert np.array_equal(result.curves[name], curve), name
    assert not (out / "training").exists()


def test_nothing_is_done_where_all_is_there(trained: list[str], undisturbed: Result, tmp_path: Path) -> None:
    again = run(tmp_path / "new", TWICE, before=undisturbed)
    assert again.records == undisturbed.records
    assert again.config["chosen"] == undisturbed.config["chosen"]
    assert trained == []
    assert not (tmp_path / "new").exists()


def test_a_model_whose_numbers_are_gone_is_made_again_alone(
    trained: list[str], undisturbed: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the same weights as before, although the others of its group are not beside it."""
    first = run(tmp_path, TINY)
    built: list[str] = []
    student = Kind.student

    def note(kind: Kind, config: Any) -> Any:
        built.append(kind.form.__name__ if isinstance(kind.form, type) else str(kind.form))
        return student(kind, config)

    monkeypatch.setattr(Kind, "student", note)
    shutil.rmtree(tmp_path / "students")
    less = replace(
        first,
        records=[r for r in first.records if r.model != "dirichlet"],
        config=first.config | {"remarks": {"single ece": "a remark"}},
    )
    again = run(tmp_path, TINY, before=less)
    assert again.config["remarks"] == {"single ece": "a remark"}
    assert built == ["Dirichlet"]
    assert [path.name for path in (tmp_path / "students" / "0").iterdir() if path.is_dir()] == ["dirichlet"]
    assert {(r.model, r.dataset, r.metric) for r in again.records} == {
        (r.model, r.dataset, r.metric) for r in first.records
    }
    kept = [r for r in again.records if r.model != "dirichlet"]
    assert kept == less.records
    assert {name: curve.shape for name, curve in again.curves.items()} == {n: c.shape for n, c in first.curves.items()}


def test_members_that_are_elsewhere_teach(trained: list[str], undisturbed: Result, tmp_path: Path) -> None:
    out, teacher = tmp_path / "out", tmp_path / "teacher"
    first = run(out, replace(TINY, groups=("rivals",)), teacher=teacher)  # it has none yet
    assert trained == ["fit_ensemble", "distill_many"]
    assert [path.name for path in (teacher / "members").iterdir()] == ["0"]
    assert not (out / "members").exists()
    again = run(tmp_path / "again", teacher=teacher)
    assert trained == ["fit_ensemble", "distill_many", "fit_ensemble"] + ["distill_many"] * 2
    assert timeless(again) == timeless(undisturbed)
    assert {"hydra", "ensemble"} <= {*first.models()}


def test_members_of_another_folder_do_not_join_a_study(trained: list[str], tmp_path: Path) -> None:
    first = run(tmp_path / "out", TINY)
    run(tmp_path / "other", replace(TINY, groups=("rivals",)))
    shutil.rmtree(tmp_path / "other" / "members")
    other = replace(TINY, first_seed=1)  # its members are of another repeat
    run(tmp_path / "another", other)
    shutil.copytree(tmp_path / "another" / "members" / "1", tmp_path / "other" / "members" / "0")
    trained.clear()
    with pytest.raises(ValueError, match="Expected the members that the folder's repeat 0 has numbers of"):
        run(tmp_path / "out", replace(TINY, groups=("rivals",)), before=first, teacher=tmp_path / "other")
    assert trained == []


def test_other_settings_are_refused_before_anything_is_trained(
    trained: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_at(monkeypatch, cifar10_training, "fit_ensemble", call=1)
    with pytest.raises(Killed):
        run(tmp_path)
    with pytest.raises(ValueError, match=r"members was 2 and now is 3\. Choose another --out, or delete"):
        run(tmp_path, replace(TWICE, members=3))
    assert trained == []
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


def test_missing_images_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENDD_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="Expected CIFAR-10 in"):
        run(tmp_path / "out", data=tmp_path)
    assert [*tmp_path.iterdir()] == []
