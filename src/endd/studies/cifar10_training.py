"""Members and students of one repeat of the CIFAR-10 study: trained once, kept in half precision, read ever after.

What is evaluated is always what lies on disk, so that anybody who has the weights gets the same numbers.
"""

import copy
import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from endd.models import Ensemble, Model, Student
from endd.nn import ResNet
from endd.persistence import load, save
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_images import Pictures
from endd.studies.cifar10_methods import CLASSES, FAMILY, methods
from endd.studies.cifar10_outputs import raw_outputs
from endd.studies.training import STUDENT_SEEDS, options, say, seeded, timed
from endd.training import distill_many, fit_ensemble, flips_and_crops, transfer_pool
from endd.training.ensembles import training_device

# A repeat's first seed of weights, far enough from the next one's.
SEEDS_APART = 1000
SECONDS = "seconds.json"


class Workshop:
    """Where the models of a study are made and kept: out/members/REPEAT and out/students/REPEAT/NAME."""

    def __init__(self, config: Config, pictures: Pictures, out: Path, progress: str = "auto") -> None:
        self.config, self.pictures, self.out, self.progress = config, pictures, out, progress
        self.device = training_device(config.member)

    def has_members(self, seed: int) -> bool:
        """Whether a repeat's members are there."""
        return (self._members(seed) / SECONDS).exists()

    def members(self, seed: int) -> Ensemble:
        """The ensemble of a repeat, trained if it is not there yet."""
        folder = self._members(seed)
        if not self.has_members(seed):
            say(f"cifar10: repeat {seed}: training {self.config.members} members", self.progress)
            self._run(folder, lambda run: {"ensemble": self._fit(seed, run)}, {"ensemble": folder})
        return self._read(folder)  # type: ignore[return-value]

    def students(self, seed: int) -> dict[str, Student]:
        """The students of a repeat by name, trained side by side if they are not there yet."""
        folder = self.out / "students" / str(seed)
        names = list(methods(self.config))
        if not (folder / SECONDS).exists():
            say(f"cifar10: repeat {seed}: labelling the pool and training {len(names)} students", self.progress)
            self._run(folder, lambda run: self._distill(seed, run), {name: folder / name for name in names})
        return {name: self._read(folder / name) for name in names}  # type: ignore[misc]

    def seconds(self, seed: int) -> dict[str, float]:
        """What each model of a repeat took to train: its share of a stacked run."""
        ensemble = json.loads((self._members(seed) / SECONDS).read_text())["seconds"]
        shared = json.loads((self.out / "students" / str(seed) / SECONDS).read_text())["seconds"]
        names = methods(self.config)
        single = ensemble / self.config.members
        alone = {"single": single, "temperature": single, "ensemble": ensemble}
        return alone | dict.fromkeys(names, shared / len(names))

    def _members(self, seed: int) -> Path:
        return self.out / "members" / str(seed)

    def _run(self, folder: Path, train: Callable[[Path], dict[str, Any]], places: dict[str, Path]) -> None:
        """Train in a run folder from which it goes on if it is killed, then keep the models and say that it is done."""
        run = self.out / "training" / folder.relative_to(self.out)
        with timed() as timer:
            models = train(run)
        for name, place in places.items():
            save(copy.deepcopy(models[name]).cpu().half(), place)
        (folder / SECONDS).write_text(json.dumps({"seconds": round(timer.seconds, 1)}) + "\n")
        shutil.rmtree(run, ignore_errors=True)
        with suppress(OSError):  # another repeat may have been left there, to go on with
            os.removedirs(run.parent)

    def _read(self, folder: Path) -> Model:
        model: Model = load(folder)
        return model.float().to(self.device).eval()

    def _fit(self, seed: int, run: Path) -> Ensemble:
        config, pictures = self.config, self.pictures

        def build() -> Ensemble:
            return Ensemble([ResNet(config.depth, CLASSES, config.width) for _ in range(config.members)], FAMILY)

        ensemble = seeded(SEEDS_APART * seed, build).to(self.device)
        how = options(config.member, SEEDS_APART * seed) | {"progress": self.progress, "run": run, "resume": True}
        fit_ensemble(ensemble, (pictures.x_train, pictures.y_train), augment=flips_and_crops, **how)
        return ensemble

    def _distill(self, seed: int, run: Path) -> dict[str, Student]:
        config = self.config
        kinds = methods(config)
        first = STUDENT_SEEDS + SEEDS_APART * seed
        # every student starts from weights of its own
        students = {
            name: seeded(first + number, partial(method.student, config)).to(self.device)
            for number, (name, method) in enumerate(kinds.items())
        }
        pool = make_pool(config, self.pictures.x_train, first)
        labels = torch.as_tensor(raw_outputs(self.members(seed), pool)).to(self.device).movedim(-2, 0).float()
        distill_many(
            [labels] * len(kinds),
            list(students.values()),
            [pool] * len(kinds),
            objective=[method.objective for method in kinds.values()],
            **options(config.student, first) | {"progress": self.progress, "run": run, "resume": True},
        )
        return students


def make_pool(config: Config, images: Tensor, seed: int) -> Tensor:
    """What students learn from: views of the images, flipped, cropped and in part mixed."""
    return transfer_pool(images, config.views, augment=flips_and_crops, mix=config.mix, seed=seed)


def on(config: Config, device: str | None) -> Config:
    """The same settings for a device, which is tried first."""
    try:
        torch.empty(0, device=device)
    except (AssertionError, RuntimeError) as error:
        raise ValueError(
            f"Expected a device to train on, such as cuda or cpu, but {device!r} cannot be used: "
            f"{str(error).splitlines()[0]}"
        ) from None
    return replace(config, member=replace(config.member, device=device), student=replace(config.student, device=device))
