"""Settings of the frontier: which models there are, how the students learn, and whose members teach them."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from endd._checks import check_option, check_positive
from endd.nn.joining import fits
from endd.studies import cifar10_config
from endd.studies.cifar10_config import Config as Study
from endd.studies.cifar10_training import SECONDS
from endd.studies.cifar10_warm import warmed
from endd.studies.frontier_levers import LEVERS
from endd.studies.result import CONFIG
from endd.studies.settings import Settings

#: Models that come together: parts of the teacher, networks that learn from labels, students of it, and students with
#: one setting changed.
GROUPS = ("ensembles", "singles", "students", "levers")


@dataclass(frozen=True)
class Config(Settings):
    """Settings of the study; `PRESETS` holds those that have a name.

    groups: which of `GROUPS` there are; levers only if they are named. levers: which of them, by the names in
    `LEVERS`; the optimiser that students learn by anyway is none. widths: of single networks and students, as multiples
    of the members' own. sizes: of the ensembles, the first members of the teacher; the whole of it is always there.
    epochs, views: of every student, whatever its width, and how many versions of an image it learns from, if not as
    many as in the teacher's study.
    corruptions, severities: the sets that are pooled as "corrupted". together: repeats that train side by side.
    batches: rows of the batches in which models are timed. rounds: of which a time is the median. warm: whether
    students start as the first members side by side, as many as they have room for, and learn as the study says for
    that. study: that of the teacher, for all other settings.
    """

    groups: tuple[str, ...] = GROUPS[:3]
    levers: tuple[str, ...] = tuple(LEVERS)
    widths: tuple[float, ...] = (1.0, 1.5, 2.0, 4.0)
    sizes: tuple[int, ...] = (1, 2, 3, 5, 10)
    epochs: int = 100
    views: int | None = None
    # noise, blur, weather and a fault of the camera: few enough to be made in seconds
    corruptions: tuple[str, ...] = ("gaussian_noise", "defocus_blur", "fog", "pixelate")
    severities: tuple[int, ...] = (1, 3, 5)
    together: int = 3
    batches: tuple[int, ...] = (1, 1024)
    rounds: int = 20
    warm: bool = False
    study: Study = field(default_factory=Study)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_at_least(1, "epochs", "together", "rounds")
        for group in self.groups:
            check_option("groups", group, GROUPS)
        for lever in self.levers:
            check_option("levers", lever, LEVERS)
        if self.warm and self.study.warm is None:
            raise ValueError(
                "Expected a teacher's study that says how students train that start from a member, but its setting "
                "`warm` is null. Choose another --teacher."
            )
        for width in self.widths:
            check_positive("widths", width)
            if self.channels(width) < 1:
                raise ValueError(f"Expected widths that leave a channel or more, but got {width:g}.")
        object.__setattr__(self, "widths", tuple(dict.fromkeys(self.widths)))
        if self.warm and "students" in self.groups and not all(map(self._holds_members, self.widths)):
            named = ", ".join(f"{width:g}" for width in self.widths)
            raise ValueError(
                "Expected --widths of 1 or more, at which members fit side by side into a student that starts from "
                f"them, but got {named} of {self.study.width} channels. Odd numbers of channels need one to spare."
            )

    def _holds_members(self, width: float) -> bool:
        room, member = self.channels(width), self.study.width
        return fits(max(1, room // member), member, room)

    def channels(self, width: float) -> int:
        """Of the first stage of a network that is so many times as wide as a member."""
        return round(width * self.study.width)

    def all_levers(self) -> tuple[str, ...]:
        """Those that are wanted, of all but the optimiser that students learn by anyway."""
        own = f"lever_{self.at(1).student.optimiser}"
        if own in self.levers and {*self.levers} < {*LEVERS}:
            raise ValueError(f"Expected levers that change something, but students learn by that of {own} anyway.")
        return tuple(lever for lever in self.levers if lever != own)

    def all_sizes(self) -> list[int]:
        """Sizes of ensembles that the teacher has members for, its own the last."""
        return sorted({*(size for size in self.sizes if size <= self.study.members), self.study.members})

    def at(self, width: float) -> Study:
        """The teacher's study as it would be at another width, with this one's repeats, sets and epochs."""
        study = warmed(self.study) if self.warm else replace(self.study, warm=None)
        return replace(
            study,
            student=replace(study.student, epochs=self.epochs),
            views=self.views or study.views,
            width=self.channels(width),
            seeds=self.seeds,
            first_seed=self.first_seed,
            together=self.together,
            corruptions=self.corruptions,
            severities=self.severities,
        )


# Half of the images, whole batches only.
_HALF = 19_968
#: A teacher that two cores can train: ten networks of 0.02 M parameters.
_SMALL = Study(
    "small",
    depth=8,
    width=8,
    train_rows=20_000,
    validation_rows=2_000,
    test_rows=2_000,
    member=replace(cifar10_config.MEMBER, epochs=12, epoch_rows=_HALF),
    student=replace(cifar10_config.STUDENT, epoch_rows=_HALF),
    views=4,
    dense_layers=(2, 4, 4),
    dense_growth=5,
)
# Students that start from members learn fast; each of their epochs sees half of the views.
_JOINED: dict[str, Any] = {"warm": True, "epochs": 24, "views": 48}
#: "full" is the study, on a large GPU. "standard" is one repeat of it. "small" is the same of small networks, with a
#: teacher of its own and students that start from random weights, for a machine without a GPU: an hour and a half a
#: repeat on one core, levers included. "warm" is for such a machine and the members of a study: students of their width
#: that start from one of them, with levers. "smoke" runs on a CPU in seconds, also with a teacher of its own; its
#: numbers mean nothing.
PRESETS = {
    "full": Config("full", seeds=3, **_JOINED),
    "standard": Config("standard", **_JOINED),
    "small": Config("small", seeds=3, together=1, epochs=12, batches=(1, 256), study=_SMALL),
    "warm": Config(
        "warm",
        seeds=3,
        groups=("ensembles", "students", "levers"),
        levers=(
            *("lever_diagonal", "lever_no_mean", "lever_mean_0.9", "lever_no_epistemic"),
            *("lever_ema", "lever_short", "lever_long", "lever_symmetric", "lever_push"),
        ),
        widths=(1.0,),
        epochs=cifar10_config.WARM.epochs,
        together=1,
        batches=(1, 256),
        warm=True,
    ),
    "smoke": Config(
        "smoke",
        seeds=2,
        together=2,
        epochs=2,
        corruptions=("brightness", "gaussian_noise"),
        severities=(1, 5),
        batches=(1, 64),
        rounds=3,
        study=cifar10_config.PRESETS["smoke"],
    ),
}


def taught_by(config: Config, teacher: Path) -> Config:
    """The settings with those of a CIFAR-10 study that is there, with the members of every repeat."""
    remedy = "Point --teacher at the folder of `endd reproduce cifar10`, or run that first."
    try:
        found = json.loads((teacher / CONFIG).read_text())
    except (OSError, ValueError):
        raise FileNotFoundError(
            f"Expected the settings of a CIFAR-10 study in {teacher}, but found none. {remedy}"
        ) from None
    for seed in config.all_seeds():
        if not (teacher / "members" / str(seed) / SECONDS).exists():
            raise FileNotFoundError(
                f"Expected the members of repeat {seed} in {teacher / 'members'}, but found none. {remedy} "
                "Fewer --seeds need fewer of them."
            )
    return replace(config, study=Study.from_plain(found))
