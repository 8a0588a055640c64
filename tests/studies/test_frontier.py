"""The frontier from end to end, at its smallest."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endd.report.frontier import frontier_report
from endd.studies import frontier
from endd.studies.cifar10_training import Workshop
from endd.studies.frontier import PRESETS, run_stepwise
from endd.studies.result import Record, Result
from tests.studies.small_pictures import TINY, Killed

#: A repeat of it takes a few seconds.
SMALL = replace(PRESETS["smoke"], widths=(1.0, 1.5), corruptions=("brightness",), severities=(1,), rounds=1, study=TINY)
MODELS = {"single_1", "ensemble_1", "ensemble_2", "student_1", "dense_1", "hydra", "single_1.5", "student_1.5"}


def run(out: Path, config: Any = SMALL, **given: Any) -> Result:
    *_, result = run_stepwise(config, out, progress="none", device="cpu", **given)
    return result


def timeless(result: Result) -> list[Record]:
    """All records but those of how long things took, in one order."""
    kept = [r for r in result.records if r.metric != "train_seconds" and not r.metric.startswith("ms_")]
    return sorted(kept, key=lambda r: (r.model, r.dataset, r.seed, r.metric))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Two repeats in one go, with a teacher of their own."""
    from tests.studies.small_pictures import use_small_pictures

    with pytest.MonkeyPatch.context() as patch:
        use_small_pictures(patch, tmp_path_factory.mktemp("cache"))
        return run(tmp_path_factory.mktemp("undisturbed"))


def test_every_model_has_its_numbers_in_every_repeat(undisturbed: Result) -> None:
    assert {*undisturbed.models()} == MODELS
    assert {*undisturbed.datasets()} == {"clean", "validation", "corrupted"}
    keys = [(r.model, r.dataset, r.split, r.seed, r.metric) for r in undisturbed.records]
    assert len({*keys}) == len(keys)
    assert np.isfinite([r.value for r in undisturbed.records]).all()
    for model in MODELS:
        for metric in ("nll", "kl_teacher", "multiply_adds", "parameters", "ms_a_row@64"):
            assert len(undisturbed.values(model, metric, "clean")) == 2
        assert len(undisturbed.values(model, "nll", "corrupted")) == 2


def test_the_settings_say_what_there_is(undisturbed: Result) -> None:
    config = undisturbed.config
    assert (config["seeds"], config["widths"], config["study"]["members"]) == (2, [1.0, 1.5], 2)
    assert config["groups"] == ["ensembles", "singles", "students"]


def test_groups_and_widths_without_models_are_one_line(tmp_path: Path) -> None:
    nothing = replace(SMALL, groups=("singles",), widths=(1.0,))
    with pytest.raises(ValueError, match="groups and widths that have models, but singles of 1 have none"):
        run(tmp_path / "out", nothing)
    assert not (tmp_path / "out").exists()


def test_students_and_levers_from_a_member(
    trained: list[str], cifar10_study: tuple[Path, Result], tmp_path: Path
) -> None:
    some = {"groups": ("ensembles", "students", "levers"), "levers": ("lever_ema", "lever_push"), "widths": (1.0, 2.0)}
    result = run(tmp_path, replace(SMALL, warm=True, views=1, **some), teacher=cifar10_study[0])  # type: ignore[arg-type]
    assert {*result.models()} >= {"single_1", "ensemble_3", "student_1", "student_2", "hydra", *some["levers"]}
    assert "dense_1" not in result.models()
    text = frontier_report(result).summary
    assert (
        "2 epochs (views of every image: 1), from the weights of the first member on, all but the head; wider" in text
    )
    with pytest.raises(ValueError, match="warm was True and now is False"):
        run(tmp_path, replace(SMALL, views=1, **some), teacher=cifar10_study[0], before=result)  # type: ignore[arg-type]


def test_repeats_that_do_not_train_together_come_one_after_another(
    trained: list[str], cifar10_study: tuple[Path, Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What members say about a pool is asked once for all models of a repeat."""
    asked: list[int] = []
    label = Workshop.labelled

    def note(workshop: Workshop, seed: int, pool: Any) -> Any:
        asked.append(seed)
        return label(workshop, seed, pool)

    monkeypatch.setattr(Workshop, "labelled", note)
    one = replace(SMALL, groups=("students", "levers"), levers=("lever_diagonal", "lever_ema"), widths=(1.0,))
    run(tmp_path, replace(one, together=1), teacher=cifar10_study[0])
    assert asked == [0, 1]


def test_a_teacher_that_is_there_is_not_trained(
    trained: list[str], cifar10_study: tuple[Path, Result], tmp_path: Path
) -> None:
    result = run(tmp_path, replace(SMALL, groups=("ensembles",)), teacher=cifar10_study[0])
    assert trained == []
    assert "ensemble_3" in result.models()
    clean, theirs = result.values("ensemble_3", "nll", "clean"), cifar10_study[1].values("ensemble", "nll", "clean")
    assert clean == pytest.approx(theirs)
    assert {path.name for path in tmp_path.iterdir()} == {"config.json"}


def test_a_width_after_another(trained: list[str], undisturbed: Result, tmp_path: Path) -> None:
    first = run(tmp_path, replace(SMALL, widths=(1.5,), groups=("singles", "students")))
    assert {*first.models()} == {"single_1.5", "student_1.5"}
    assert trained == ["fit_ensemble"] * 3 + ["distill_many"]
    noted = replace(first, config=first.config | {"notes": ["Beware."]})
    both = run(tmp_path, before=noted)
    assert both.config["notes"] == ["Beware."]
    assert timeless(both) == timeless(undisturbed)
    assert both.config["widths"] == [1.0, 1.5]
    assert trained == ["fit_ensemble"] * 3 + ["distill_many"] * 3


def test_a_killed_run_goes_on(
    trained: list[str], undisturbed: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The students of width 1 were trained, and asked in the first repeat only."""
    evaluate, calls = frontier._evaluated, []

    def wrapper(*arguments: Any) -> Result:
        calls.append(arguments)
        if len(calls) == 4:
            raise Killed
        return evaluate(*arguments)

    monkeypatch.setattr(frontier, "_evaluated", wrapper)
    steps = run_stepwise(SMALL, tmp_path, progress="none", device="cpu")
    for _ in range(3):
        next(steps).save(tmp_path)
    with pytest.raises(Killed):
        next(steps)
    assert trained == ["fit_ensemble"] * 2 + ["distill_many"]
    whole = run(tmp_path, before=Result.load(tmp_path))
    assert {(r.model, r.seed) for r in whole.records} == {(r.model, r.seed) for r in undisturbed.records}
    for ours, theirs in zip(timeless(whole), timeless(undisturbed), strict=True):
        assert ours.value == pytest.approx(theirs.value, rel=1e-6)
    assert trained == [*["fit_ensemble"] * 2, *["distill_many"] * 2, "fit_ensemble", "distill_many"]


def test_nothing_is_done_where_all_is_there(trained: list[str], undisturbed: Result, tmp_path: Path) -> None:
    again = run(tmp_path / "new", before=undisturbed)
    assert again.records == undisturbed.records
    assert trained == []
    assert not (tmp_path / "new").exists()


def test_a_missing_teacher_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="Point --teacher"):
        run(tmp_path / "out", teacher=tmp_path / "nowhere")
    assert [*tmp_path.iterdir()] == []
