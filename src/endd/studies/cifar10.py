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

import numpy as np
import torch

from endd.studies.cifar10_asking import Asking
from endd.studies.cifar10_choice import STUDY, chosen, joined, unchosen
from endd.studies.cifar10_config import PRESETS, Config
from endd.studies.cifar10_evaluation import Evaluation
from endd.studies.cifar10_folder import add_outputs, check_settings, write_settings
from endd.studies.cifar10_groups import names_of, workshops_of
from endd.studies.cifar10_images import load_pictures, make_corrupted
from endd.studies.cifar10_methods import methods
from endd.studies.cifar10_outputs import ENSEMBLE, REFERENCE, Halves, Outputs, load_outputs
from endd.studies.cifar10_training import on
from endd.studies.environment import environment
from endd.studies.result import Record, Result
from endd.studies.training import say
from endd.training.ensembles import training_device

__all__ = ["PRESETS", "STUDY", "Config", "evaluate_outputs", "run_stepwise"]


def run_stepwise(
    config: Config,
    out: Path,
    progress: str = "auto",
    data: str | Path | None = None,
    device: str | None = None,
    before: Result | None = None,
    keep_outputs: bool = False,
) -> Iterator[Result]:
    """The result so far, after every repeat; `before` is what an earlier run found, whose repeats are not run again.

    out: where members, students and a part of their outputs are kept (with keep_outputs, all of them).
    """
    config = on(config, device)
    check_settings(out, config.as_plain())
    found = [] if before is None else [unchosen(before)]
    there = {(record.seed, record.model) for result in found for record in result.records}
    wanted = [
        (group, seed)
        for group in config.groups
        for seed in config.all_seeds()
        if not there >= {(seed, model) for model in names_of(group, config)}
    ]
    if not wanted:
        say("cifar10: all repeats are there already", progress)
        yield chosen(joined(config, found))
        return
    ask = _prepared(config, out, progress, data)
    for group, seed in wanted:
        outputs = ask[group].all_about(seed)
        result = _evaluated(config, [outputs])
        found.append(_others(result, seed, there))
        there |= {(seed, model) for model in result.models()}
        add_outputs(out, config, outputs, keep_outputs)
        yield chosen(joined(config, found))


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
    plain, repeats = load_outputs(file)
    result = _evaluated(Config(rank=plain["rank"], members=plain["members"]), repeats)
    return chosen(replace(result, config=plain | {"seeds": len(repeats), "test_rows": len(repeats[0].y)}))


def _prepared(config: Config, out: Path, progress: str, data: str | Path | None) -> dict[str, Asking]:
    """Images and members of all repeats, and who asks each group; what is missing is found out at the start."""
    pictures = load_pictures(config, data, training_device(config.member))
    say("cifar10: making corrupted images", progress)
    make_corrupted(config, pictures.x_test, data)
    write_settings(out, config.as_plain())
    workshops = workshops_of(config, pictures, out, progress, data)
    for seed in config.all_seeds():
        workshops[config.groups[0]].members(seed)
    remembered: dict[int, dict[str, Halves]] = {}
    return {group: Asking(config, workshop, pictures, data, remembered) for group, workshop in workshops.items()}


def _evaluated(config: Config, repeats: list[Outputs]) -> Result:
    """Numbers and curves of some repeats."""
    device = training_device(config.member)
    records: list[Record] = []
    curves: dict[str, list[Any]] = {}
    for outputs in repeats:
        evaluation = Evaluation(outputs, methods(config), device)
        records += evaluation.records()
        for name, curve in evaluation.curves().items():
            curves.setdefault(name, []).append(curve)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)
    stacked = {name: np.stack(found) for name, found in curves.items()}
    return Result(STUDY, config.as_plain(), environment(name), records, stacked)
