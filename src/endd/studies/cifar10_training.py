"""Members and students of one repeat of the CIFAR-10 study: trained once, kept in half precision, read ever after.

What is evaluated is always what lies on disk, so that anybody who has the weights gets the same numbers, but for the
rounding of the device.
"""

import copy
import json
import shutil
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self
from zlib import crc32

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from endd._damage import reading
from endd.models import Ensemble, Model, Student
from endd.nn import ResNet
from endd.persistence import ModelFolderError, load, save
from endd.studies.cifar10_config import Config
from endd.studies.cifar10_folder import MEMBERS, remade
from endd.studies.cifar10_images import Pictures
from endd.studies.cifar10_lessons import Lesson, Lessons, about
from endd.studies.cifar10_methods import CLASSES, FAMILY, Kind, students
from endd.studies.cifar10_outputs import raw_outputs
from endd.studies.training import STUDENT_SEEDS, ModelT, options, say, seeded, timed
from endd.training import blends, distill_many, diverse_steps, fit_ensemble, flips_and_crops, transfer_pool, warps
from endd.training.devices import training_device, usable_device
from endd.training.progress import reporter

# A repeat's first seed of weights, far enough from the next one's.
SEEDS_APART = 1000
# Views that members are asked about before it is told how far they are: some seconds of one core.
ROWS_TOLD = 20_000
SECONDS, WEIGHTS, TRAINING = "seconds.json", "weights.safetensors", "training"


class Workshop:
    """Where the models of a study are made and kept: teacher/members/REPEAT and out/SHELF/REPEAT/NAME.

    kinds: the students, by name; those of the study's group that is called like the shelf by default. lessons: those
    that other workshops of the same members share with this one. teacher: the folder of the members, if not `out`.
    """

    #: What it says that it works for.
    study = "cifar10"

    def __init__(
        self,
        config: Config,
        pictures: Pictures,
        out: Path,
        progress: str = "auto",
        kinds: Mapping[str, Any] | None = None,
        shelf: str = "students",
        lessons: Lessons | None = None,
        teacher: Path | None = None,
    ) -> None:
        self.config, self.pictures, self.out, self.progress = config, pictures, out, progress
        self.teacher = teacher or out
        self.lessons = lessons or Lessons(config.together)
        self.kinds: Mapping[str, Any] = students(config)[shelf] if kinds is None else kinds
        self.shelf = shelf
        # students start from weights of their own, whichever others there are
        self._places = {name: place for place, name in enumerate(self.kinds)}
        self.device = training_device(config.member)

    def only(self, models: Collection[str]) -> Self:
        """The same workshop for some of its students; the others are left as they are."""
        self.kinds = {name: kind for name, kind in self.kinds.items() if name in models}
        return self

    def forms(self) -> dict[str, Kind]:
        """Those whose raw outputs stand for a density or a point; the others' are atoms."""
        return {name: kind for name, kind in self.kinds.items() if isinstance(kind, Kind)}

    def prepare(self) -> None:
        """Do once what all repeats of this group share."""

    def has_members(self, seed: int) -> bool:
        """Whether a repeat's members are there."""
        return (self._members(seed) / SECONDS).exists()

    def members(self, seed: int) -> Ensemble:
        """The ensemble of a repeat, trained if it is not there yet."""
        folder = self._members(seed)
        if not self.has_members(seed):
            say(f"{self.study}: repeat {seed}: training {self.config.members} members", self.progress)
            self._run(f"members-{seed}", lambda run: {folder: self._fit(seed, run)}, [folder])
        ensemble: Ensemble = _whole(folder)
        return self.ready(ensemble)

    def students(self, seed: int) -> dict[str, Model]:
        """The students of a repeat by name; if they are not there yet they are trained, with those of the next ones."""
        if not self.has_students(seed):
            group = [n for n in self.config.all_seeds() if n >= seed and not self.has_students(n)]
            self._train_students(group[: self.config.together])
        return {name: self.read_student(name, self._students(seed) / name) for name in self.kinds}

    def has_students(self, seed: int) -> bool:
        """Whether a repeat's students are there."""
        folder = self._students(seed)
        return (folder / SECONDS).exists() and all((folder / name).exists() for name in self.kinds)

    def seconds(self, seed: int) -> dict[str, float]:
        """What each model of a repeat took to train: its share of a stacked run."""
        ensemble = _read_seconds(self._members(seed))["seconds"]
        single = ensemble / self.config.members
        alone = {"single": single, "temperature": single, "ensemble": ensemble}
        if not self.kinds:
            return alone
        taken = _read_seconds(self._students(seed))
        return alone | dict.fromkeys(self.kinds, taken["seconds"] / taken.get("models", len(self.kinds)))

    def _members(self, seed: int) -> Path:
        return self.teacher / MEMBERS / str(seed)

    def _students(self, seed: int) -> Path:
        return self.out / self.shelf / str(seed)

    def _run(self, name: str, train: Callable[[Path], dict[Path, Any]], folders: list[Path]) -> None:
        """Train in a run folder from which it goes on if it is killed, then keep the models and say that it is done."""
        run = self.out / TRAINING / name
        with timed() as timer:
            models = train(run)
        for place, model in models.items():
            self.keep(copy.deepcopy(model).cpu().half(), place)
        for folder in folders:
            seconds = {"seconds": round(timer.seconds / len(folders), 1), "models": len(models) // len(folders)}
            (folder / SECONDS).write_text(json.dumps(seconds) + "\n")
        shutil.rmtree(run, ignore_errors=True)

    def keep(self, model: Any, place: Path) -> None:
        """Put a model into its folder."""
        save(model, place)

    def read_student(self, name: str, folder: Path) -> Model:
        """A student from its folder."""
        student: Student = _whole(folder)
        return self.ready(student)

    def lesson(self, seed: int) -> Lesson:
        """What the students of a repeat learn from."""
        return self.lessons.get(seed, about(self.config), lambda: self.labelled(seed, self._pool(seed)))

    def labelled(self, seed: int, pool: Tensor) -> Lesson:
        """A pool and what a repeat's members say about exactly these pixels."""
        say(f"{self.study}: repeat {seed}: asking its members about {len(pool)} views to learn from", self.progress)
        members, parts, raw = self.members(seed), pool.split(ROWS_TOLD), list[Tensor]()
        with reporter(self.progress, "members", "part") as told:
            for part in parts:
                raw.append(torch.as_tensor(raw_outputs(members, part, self.config.student.precision)))
                told.update(len(raw), len(parts), {})
        return Lesson(pool, torch.cat(raw).to(self.device).movedim(-2, 0).float())

    def _pool(self, seed: int) -> Tensor:
        pool = make_pool(self.config, self.pictures.x_train, student_seed(seed))
        if not self.config.push:
            return pool
        return diverse_steps(self.members(seed), pool, self.config.push, seed=student_seed(seed))

    def beginner(self, name: str, seed: int) -> Student:
        """A student of a repeat before it learns; each starts from weights of its own."""
        made: Student = seeded(student_seed(seed) + self._places[name], partial(self.kinds[name].student, self.config))
        return made

    def late(self) -> tuple[int, int] | None:
        """How many of the last rows of a pool come in from which epoch on."""
        return None

    def ready(self, model: ModelT) -> ModelT:
        """A model that was kept, to be asked."""
        return model.float().to(self.device).eval()

    def _fit(self, seed: int, run: Path) -> Ensemble:
        config = self.config

        def build() -> Ensemble:
            return Ensemble([ResNet(config.depth, CLASSES, config.width) for _ in range(config.members)], FAMILY)

        ensemble = seeded(SEEDS_APART * seed, build)
        self.fit(ensemble, SEEDS_APART * seed, run)
        return ensemble

    def fit(self, ensemble: Ensemble, seed: int, run: Path) -> None:
        """Train networks on labels, side by side, as members are."""
        config, pictures = self.config, self.pictures
        how = options(config.member, seed) | {"progress": self.progress, "run": run, "resume": True}
        data = pictures.x_train, pictures.y_train
        fit_ensemble(ensemble.to(self.device), data, augment=crops(config), **how)

    def _train_students(self, seeds: list[int]) -> None:
        said = ", ".join(map(str, seeds))
        say(f"{self.study}: repeat {said}: training {', '.join(self.kinds)}", self.progress)
        name = "-".join([self.shelf.replace("/", "-"), *map(str, seeds), *self._part()])
        self._run(name, lambda run: self._taught(seeds, run), [self._students(seed) for seed in seeds])

    def _part(self) -> list[str]:
        """What tells a run of some students from one of all, or of others: it cannot go on with those."""
        return [] if len(self.kinds) == len(self._places) else [f"{crc32(','.join(self.kinds).encode()):08x}"]

    def _taught(self, seeds: list[int], run: Path) -> dict[Path, Any]:
        """Students of some repeats, all side by side; those of a kind come one after another."""
        config, kinds = self.config, self.kinds
        wanted = [(seed, name) for name in kinds for seed in seeds]
        students = {self._students(seed) / name: self.beginner(name, seed).to(self.device) for seed, name in wanted}
        lessons = {seed: self.lesson(seed) for seed in seeds}
        distill_many(
            [lessons[seed].labels for seed, _ in wanted],
            list(students.values()),
            [lessons[seed].pool for seed, _ in wanted],
            objective=[kinds[name].objective for _, name in wanted],
            late=self.late(),
            **options(config.student, student_seed(seeds[0])) | {"progress": self.progress, "run": run, "resume": True},
        )
        return students


class WeightsWorkshop(Workshop):
    """Keeps the weights alone of students that only the program knows how to build."""

    def keep(self, model: Any, place: Path) -> None:
        """Write the weights; members are kept whole."""
        if isinstance(model, Ensemble):
            return super().keep(model, place)
        place.mkdir(parents=True, exist_ok=True)
        save_file(model.state_dict(), place / WEIGHTS)

    def read_student(self, name: str, folder: Path) -> Model:
        """A new model with the weights that were kept."""
        student = self.new_student(name, folder)
        file = folder / WEIGHTS
        with reading(file, f"the weights of {name}", remade(folder.parent)):
            student.load_state_dict(load_file(file))
        return self.ready(student)

    def new_student(self, name: str, folder: Path) -> Model:
        """One to be filled with the weights in a folder."""
        made: Model = self.kinds[name].student(self.config)
        return made


def _whole(folder: Path) -> Any:
    """The model in a folder; where it is damaged, what to do in a study."""
    try:
        return load(folder)
    except (ModelFolderError, FileNotFoundError) as error:
        raise ModelFolderError(f"{error} For that, delete {folder} and run the study again.") from None


def _read_seconds(folder: Path) -> dict[str, float]:
    """What the models in a folder took to train, and how many they were."""
    with reading(folder / SECONDS, "the seconds of a training", remade(folder)):
        found = json.loads((folder / SECONDS).read_text())
        return {name: float(found[name]) for name in ("seconds", "models") if name in found or name == "seconds"}


def tidy(out: Path) -> None:
    """Remove the folder of runs once none is left in it to go on with."""
    with suppress(OSError):
        (out / TRAINING).rmdir()


def student_seed(seed: int) -> int:
    """The first seed of a repeat's students, and that of its pool."""
    return STUDENT_SEEDS + SEEDS_APART * seed


def crops(config: Config) -> Callable[[Tensor, torch.Generator], Tensor]:
    """How images are flipped and cropped, for members and students alike."""
    return partial(flips_and_crops, mirrored_edges=config.mirrored_edges)


def make_pool(config: Config, images: Tensor, seed: int) -> Tensor:
    """What students learn from: views of the images, flipped, cropped, blended, warped and mixed."""

    def views(images: Tensor, generator: torch.Generator) -> Tensor:
        moved = crops(config)(images, generator)
        moved = blends(moved, generator, config.blend) if config.blend else moved
        return warps(moved, generator, config.warp) if config.warp else moved

    return transfer_pool(images, config.views, augment=views, mix=config.mix, patch=config.patch, seed=seed)


def on(config: Config, device: str | None) -> Config:
    """The same settings for a device, which is tried first."""
    if device is not None:
        usable_device(device)
    found = {name: getattr(config, name) for name in ("member", "student", "warm", "late")}
    return replace(config, **{name: replace(how, device=device) for name, how in found.items() if how is not None})
