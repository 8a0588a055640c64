"""Parts of the CIFAR-10 study that run wherever there is room: members of a repeat, students that train together."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from endd.data.pixels import Bytes
from endd.data.uci import VARIABLE
from endd.studies.cifar10_asking import Asking
from endd.studies.cifar10_choice import STUDY
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_evaluation import Evaluation
from endd.studies.cifar10_folder import write_settings
from endd.studies.cifar10_groups import load_frost_for, names_of, workshop_of
from endd.studies.cifar10_images import Pictures, load_pictures, make_corrupted
from endd.studies.cifar10_lessons import Lessons
from endd.studies.cifar10_methods import methods
from endd.studies.cifar10_outputs import Halves, Outputs
from endd.studies.cifar10_training import Workshop
from endd.studies.environment import environment
from endd.studies.result import Record, Result
from endd.studies.training import say
from endd.training.devices import training_device


class Repeats(NamedTuple):
    """Repeats of a group of models whose students train side by side, and which of its models are wanted."""

    group: str
    seeds: tuple[int, ...]
    models: frozenset[str]


@dataclass(frozen=True)
class Parts:
    """All that the parts of a study share, and how each is done; it can be sent to wherever they run.

    out: the folder of the study, in which every part has folders of its own. teacher: that of the members, if it is
    another. keep_outputs: whether all outputs come back, or those of a few rows. known: repeats whose ensemble was
    compared with another one before, which need not be asked again. For the parts that run in the same process,
    remembered: what ensembles said, and lessons: what students learn from.
    """

    config: Config
    pictures: Pictures
    frost: tuple[Bytes, ...]
    out: Path
    data: str | Path | None
    progress: str
    keep_outputs: bool = False
    teacher: Path | None = None
    known: frozenset[int] = frozenset()
    remembered: dict[int, dict[str, Halves]] = field(default_factory=dict)
    lessons: Lessons | None = None

    def __getstate__(self) -> dict[str, Any]:
        # another machine may have other devices, and what was said and learnt from is too much to send
        return vars(self) | {"pictures": self.pictures.to(torch.device("cpu")), "remembered": {}, "lessons": None}

    def workshop(self, group: str, config: Config | None = None) -> Workshop:
        """Where the models of a group are made."""
        pictures = self.pictures.to(training_device(self.config.member))
        where = pictures, self.out, self.progress
        return workshop_of(group, config or self.config, *where, self.frost, self.lessons, self.teacher)

    def prepare(self, groups: Iterable[str]) -> None:
        """Do once what all repeats of each group share."""
        for group in groups:
            self.workshop(group).only(names_of(group, self.config)).prepare()

    def without_members(self) -> list[int]:
        """Repeats whose members are not there yet."""
        workshop = self.workshop(self.config.groups[0])
        return [seed for seed in self.config.all_seeds() if not workshop.has_members(seed)]

    def make_members(self, seed: int) -> None:
        """Train the members of a repeat."""
        self.workshop(self.config.groups[0]).members(seed)

    def plan(self, wanted: Mapping[tuple[str, int], set[str]]) -> list[Repeats]:
        """Parts of groups and repeats: those whose students train together, and those whose students are there.

        wanted: the models of every group and repeat that are not there yet. All groups of some repeats come before the
        next repeats, as they learn from the same.
        """
        parts = []
        for group in self.config.groups:
            workshop, seeds = self.workshop(group), [seed for name, seed in wanted if name == group]
            new = [seed for seed in seeds if not workshop.has_students(seed)]
            size = self.config.together
            blocks = [new[start : start + size] for start in range(0, len(new), size)]
            blocks += [[seed] for seed in seeds if seed not in new]
            for block in sorted(blocks):
                models = frozenset[str]().union(*(wanted[group, seed] for seed in block))
                parts.append(Repeats(group, tuple(block), models))
        return sorted(parts, key=lambda part: part.seeds[0])

    def ask(self, part: Repeats) -> list[tuple[Result, Outputs]]:
        """Numbers and outputs of the repeats of a part, whose students are trained if they are not there yet."""
        first, last = part.seeds[0], part.seeds[-1]
        # a part leaves the students of all others alone
        config = replace(self.config, first_seed=first, seeds=last - first + 1)
        workshop = self.workshop(part.group, config).only(part.models)
        alone = not self.keep_outputs and self.known >= {*part.seeds}
        ask = Asking(config, workshop, workshop.pictures, self.data, self.remembered, reference=not alone)
        found = []
        for seed in part.seeds:
            outputs = ask.all_about(seed)
            kept = outputs if self.keep_outputs else outputs.part(config.kept_rows)
            found.append((evaluated(config, [outputs]), kept))
        return found


def prepared(
    config: Config,
    out: Path,
    progress: str,
    data: str | Path | None,
    keep_outputs: bool = False,
    teacher: Path | None = None,
) -> Parts:
    """What all parts need, made once before the first; what is missing is found out at the start."""
    out, data = out.resolve(), data or os.environ.get(VARIABLE)
    teacher = None if teacher is None else teacher.resolve()
    data = None if data is None else Path(data).resolve()
    pictures = load_pictures(config, data, training_device(config.member))
    frost = load_frost_for(config, data)
    say("cifar10: making corrupted images", progress)
    make_corrupted(config, pictures.x_test, data)
    for folder in {out, teacher or out}:
        write_settings(folder, config.as_plain())
    lessons = Lessons(config.together)
    return Parts(config, pictures, frost, out, data, progress, keep_outputs, teacher, lessons=lessons)


def evaluated(config: Config, repeats: list[Outputs]) -> Result:
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
