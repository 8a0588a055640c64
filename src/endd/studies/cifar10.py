"""The paper's CIFAR-10 study (Figure 3): what a student keeps of its ensemble on clean and on corrupted images.

In every repeat ten ResNet-20 teach students of their own size, all on the same pixels. Every model is asked about the
clean test images, sixteen corruptions of them at five severities, and SVHN. The ensemble of another repeat is the
reference: it says how well two draws of a teacher agree. All parts are kept as they are made, and a run that was killed
goes on after them.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from endd.engines import Engine
from endd.studies.cifar10_choice import STUDY, chosen, joined, unchosen
from endd.studies.cifar10_config import PRESETS, Config
from endd.studies.cifar10_folder import (
    WRITTEN,
    add_outputs,
    as_then,
    check_members,
    check_outputs,
    check_same_members,
    check_settings,
    fingerprints,
    late_as_there,
)
from endd.studies.cifar10_groups import check_models, names_of
from endd.studies.cifar10_outputs import ENSEMBLE, REFERENCE, load_outputs
from endd.studies.cifar10_parts import evaluated, prepared
from endd.studies.cifar10_training import on, tidy
from endd.studies.cifar10_trials import SHELF, Trials
from endd.studies.result import Result
from endd.studies.stepwise import run_parts, told_in_parts
from endd.studies.training import say
from endd.training.devices import training_device

__all__ = ["PRESETS", "STUDY", "Config", "evaluate_outputs", "run_stepwise"]


def run_stepwise(
    config: Config,
    out: Path,
    progress: str = "auto",
    data: str | Path | None = None,
    device: str | None = None,
    before: Result | None = None,
    keep_outputs: bool = False,
    engine: Engine | None = None,
    teacher: Path | None = None,
) -> Iterator[Result]:
    """The result so far, after every repeat; `before` is what an earlier run found, whose repeats are not run again.

    out: where members, students and a part of their outputs are kept (with keep_outputs, all of them). engine: where
    members of a repeat train, and students that train together; all that they share is made before. teacher: a folder
    of members, if not `out`; those that it lacks are trained and put there.
    """
    config = on(config, device)
    check_models(config)
    check_settings(out, config.as_plain())
    config = late_as_there(out, config)
    check_outputs(out)
    if teacher is not None:
        check_members(teacher, config.as_plain())
    found = [] if before is None else [unchosen(before)]
    written = {} if before is None else {name: before.config[name] for name in WRITTEN if name in before.config}
    teachers: dict[str, str] = written.get("teachers", {})
    there = {(record.seed, record.model) for result in found for record in result.records}
    wanted = {
        (group, seed): missing
        for group in config.groups
        for seed in config.all_seeds()
        if (missing := {model for model in names_of(group, config) if (seed, model) not in there})
    }
    if not wanted:
        say("cifar10: all repeats are there already", progress)
        yield _told(config, found, out, written)
        return
    if engine is not None and training_device(config.member).type == "cuda":
        engine = replace(engine, gpus=1.0)
    work = prepared(config, out, told_in_parts(engine, progress), data, keep_outputs, teacher)
    work = replace(work, known=frozenset(seed for seed, model in there if model == ENSEMBLE))
    work.prepare(dict.fromkeys(group for group, _ in wanted))
    for _ in run_parts(work.make_members, work.without_members(), engine, progress, "cifar10: members"):
        pass
    tidy(out)
    present = fingerprints(teacher or out, sorted({seed for _, seed in wanted}))
    check_same_members(teachers, present)
    written["teachers"] = teachers | present
    for done in run_parts(work.ask, work.plan(wanted), engine, progress, "cifar10: students"):
        for result, outputs in done:
            found.append(_others(result, outputs.seed, there))
            there |= {(outputs.seed, model) for model in result.models()}
            add_outputs(out, config, outputs, keep_outputs)
            yield _told(config, found, out, written)
    tidy(out)


def _told(config: Config, found: list[Result], out: Path, written: dict[str, Any]) -> Result:
    """All that was found, with what was chosen on validation images and what else was written down."""
    result, trials = chosen(joined(config, found)), Trials(out / SHELF).found
    return replace(result, config=result.config | ({"trials": trials} if trials else {}) | written)


def _others(result: Result, seed: int, there: set[tuple[int, str]]) -> Result:
    """A repeat's result without the models that are there already: every group is asked beside the ensemble."""
    known = {model for number, model in there if number == seed}
    records = [record for record in result.records if record.model not in known]
    curves = {name: curve for name, curve in result.curves.items() if name.split("/")[0] not in known}
    if ENSEMBLE in known:
        curves = {name: curve for name, curve in curves.items() if name.split("/")[0] != REFERENCE}
    return replace(result, records=records, curves=curves)


def evaluate_outputs(file: Path) -> Result:
    """The study from kept outputs: no networks, no images, no GPU."""
    written, repeats = load_outputs(file)
    plain = as_then(written)
    result = evaluated(Config(rank=plain["rank"], members=plain["members"]), repeats)
    return chosen(replace(result, config=plain | {"seeds": len(repeats), "test_rows": len(repeats[0].y)}))
