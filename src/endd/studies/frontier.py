"""The frontier: how good a model can be had for which cost, for whoever has to deploy one.

Ensembles of one to ten members, single networks and students of four widths, and Hydra, all beside the same teacher:
accuracy, NLL and fidelity against parameters, multiply-adds and time an image. The teacher is that of a CIFAR-10 study
and is not trained again. Models are kept as they are made, and a run that was killed goes on after them.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from endd.studies.cifar10_evaluation import Evaluation
from endd.studies.cifar10_folder import write_settings
from endd.studies.cifar10_images import load_pictures, make_corrupted
from endd.studies.cifar10_lessons import Lessons
from endd.studies.cifar10_outputs import Halves
from endd.studies.cifar10_training import on, tidy
from endd.studies.environment import environment
from endd.studies.frontier_asking import CostAsking, records_kept
from endd.studies.frontier_config import GROUPS, PRESETS, Config, taught_by
from endd.studies.frontier_folder import NOTES, check_settings, settings_of
from endd.studies.frontier_levers import LEVERS
from endd.studies.frontier_models import Unit, units, whole
from endd.studies.frontier_training import StudentsWorkshop
from endd.studies.result import Record, Result
from endd.studies.training import say
from endd.training.devices import training_device

__all__ = ["PRESETS", "STUDY", "Config", "run_stepwise"]

STUDY = "frontier"


def run_stepwise(
    config: Config,
    out: Path,
    teacher: Path | None = None,
    progress: str = "auto",
    data: str | Path | None = None,
    device: str | None = None,
    before: Result | None = None,
) -> Iterator[Result]:
    """The result so far, after every repeat of models of one width; `before` is what an earlier run found.

    teacher: the folder of a CIFAR-10 study; without it small members are trained in `out`, as "smoke" does.
    """
    config = config if teacher is None else taught_by(config, teacher)
    config = replace(config, study=on(config.study, device))
    plain = settings_of(config, teacher)
    check_settings(out, plain)
    found = [] if before is None else [before]
    there = {(record.seed, record.model) for result in found for record in result.records}
    every = [*units(config)]
    if not every:
        raise ValueError(
            f"Expected groups and widths that have models, but {', '.join(config.groups)} of "
            f"{', '.join(f'{width:g}' for width in config.widths)} have none: single_1 comes with the ensembles."
        )
    seeds, size = [*config.all_seeds()], config.together
    wanted = [
        (unit, seed)
        # all models of some repeats before the next ones: they learn from the same
        for first in range(0, len(seeds), size)
        for unit in every
        for seed in seeds[first : first + size]
        if not there >= {(seed, name) for name in unit.names()}
    ]
    if not wanted:
        say(f"{STUDY}: all models are there already", progress)
        yield _joined(plain, found)
        return
    ask = _prepared(config, [unit for unit, _ in wanted], out, teacher or out, progress, data)
    write_settings(out, plain)
    for unit, seed in wanted:
        found.append(_evaluated(config, unit, ask[unit], seed, there))
        yield _joined(plain, found)
    tidy(out)


def _prepared(
    config: Config, wanted: list[Unit], out: Path, teacher: Path, progress: str, data: str | Path | None
) -> dict[Unit, CostAsking]:
    """Images and members, and who asks the models of each width; what is missing is found out at the start."""
    study, lessons = config.at(1), Lessons(config.together)
    timing: dict[str, Any] = {"batches": config.batches, "rounds": config.rounds}
    pictures = load_pictures(study, data, training_device(study.member))
    make_corrupted(study, pictures.x_test, data)
    taught = StudentsWorkshop(study, pictures, out, progress, {}, "none", teacher=teacher, lessons=lessons)
    for seed in config.all_seeds():
        taught.members(seed)
    remembered: dict[int, dict[str, Halves]] = {}
    asking = {}
    for unit in wanted:
        workshop = unit.workshop(pictures, out, progress, teacher, lessons)
        asking[unit] = CostAsking(study, workshop, pictures, data, remembered, **timing)
    return asking


def _evaluated(config: Config, unit: Unit, ask: CostAsking, seed: int, there: set[tuple[int, str]]) -> Result:
    """A repeat of some models, without those that are there already."""
    device = ask.workshop.device
    evaluation = Evaluation(ask.all_about(seed), ask.workshop.forms(), device)
    new = {name for name in unit.names() if (seed, name) not in there}
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)
    return Result(STUDY, {}, environment(name), list(records_kept(evaluation, new, whole(config))))


def _joined(plain: dict[str, Any], results: list[Result]) -> Result:
    """All that was found, with the repeats, groups, levers and widths that there are by now."""
    records: list[Record] = [record for result in results for record in result.records]
    seeds = sorted({record.seed for record in records})
    earlier = [result.config for result in results if result.config]
    groups = {group for config in (plain, *earlier) for group in config["groups"]}
    there = {
        "seeds": len(seeds),
        "first_seed": seeds[0],
        "groups": [group for group in GROUPS if group in groups],
        "levers": [
            lever for lever in LEVERS if any(lever in config.get("levers", LEVERS) for config in (plain, *earlier))
        ],
        "widths": sorted({width for config in (plain, *earlier) for width in config["widths"]}),
        "teachers": {seed: said for config in (*earlier, plain) for seed, said in config["teachers"].items()},
    }
    noted = [{NOTES: config[NOTES]} for config in earlier if NOTES in config]
    kept = noted[0] if noted else {}
    return Result(STUDY, plain | there | kept, results[-1].environment, records)
