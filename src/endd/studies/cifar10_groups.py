"""Groups of models in the CIFAR-10 study: each trains on its own, and a later run may add one to a folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from endd.data.frost import load_frost
from endd.data.pixels import Bytes
from endd.studies.cifar10_config import GROUPS, LATE, Config
from endd.studies.cifar10_evaluation import SYMMETRIC, SYMMETRIC_SINGLE
from endd.studies.cifar10_images import Pictures
from endd.studies.cifar10_lessons import Lessons
from endd.studies.cifar10_methods import students
from endd.studies.cifar10_outside import LateWorkshop, OutsideWorkshop
from endd.studies.cifar10_samplers import SAMPLERS, SamplerWorkshop
from endd.studies.cifar10_symmetric import SymmetricWorkshop
from endd.studies.cifar10_training import Workshop
from endd.studies.cifar10_warm import WarmWorkshop, warmed


def names_of(group: str, config: Config) -> set[str]:
    """The models of a group, or those of them that the settings name."""
    every = set(SAMPLERS if group == "samplers" else students(config)[group])
    every |= {SYMMETRIC, SYMMETRIC_SINGLE} if group == "symmetric" else set()
    return every & {*config.models} if config.models else every


def check_models(config: Config) -> None:
    """Raise if the settings name models that their groups do not have, or a group without saying how it trains."""
    if "warm" in config.groups and config.warm is None:
        raise ValueError(
            f"Expected groups without 'warm' in the preset {config.preset}, whose students all start from random "
            "weights, but got it. Name others, or another preset."
        )
    if config.late_warm and config.warm is None:
        raise ValueError(
            f"Expected students that start from random weights in the preset {config.preset}, as all of it do, but got "
            "--warm. Leave it out, or name another preset."
        )
    known = set().union(*(names_of(group, replace(config, models=())) for group in config.groups))
    for name in config.models:
        if name not in known:
            raise ValueError(
                f"Expected models of the groups {', '.join(config.groups)} ({', '.join(sorted(known))}), but got "
                f"{name!r}. {_remedy(name, config)}"
            )


def _remedy(name: str, config: Config) -> str:
    """What to do about a model that is of none of the groups."""
    known = [group for group in GROUPS if group != "warm" or config.warm is not None]
    homes = (group for group in known if name in names_of(group, replace(config, models=())))
    home = next(homes, None)
    return "Name one of these." if home is None else f"Name its group too: --groups {' '.join([*config.groups, home])}."


def load_frost_for(config: Config, data: str | Path | None) -> tuple[Bytes, ...]:
    """The pictures of frost, if there is a group that learns from them."""
    return tuple(load_frost(data)) if "outside" in config.groups else ()


def workshop_of(
    group: str,
    config: Config,
    pictures: Pictures,
    out: Path,
    progress: str,
    frost: tuple[Bytes, ...],
    lessons: Lessons | None = None,
    teacher: Path | None = None,
) -> Workshop:
    """Where the models of a group are made; groups that are given the same lessons need not make them again."""
    common = config, pictures, out, progress
    shared: dict[str, Any] = {"shelf": group, "lessons": lessons, "teacher": teacher}
    if group == "samplers":
        return SamplerWorkshop(*common, kinds=SAMPLERS, **shared)
    if group == "symmetric":
        return SymmetricWorkshop(*common, **shared)
    if group == "long":
        return Workshop(_lengthened(config), pictures, out, progress, **shared)
    if group == "warm":
        return WarmWorkshop(warmed(config), pictures, out, progress, **shared)
    if group in LATE:
        how, mark = (warmed(config), "+warm") if config.late_warm else (_patient(config), "")
        # on shelves of their own: a run may be killed between its students and their numbers
        late = shared | {"kinds": students(config)[group], "shelf": f"{group}{mark}"}
        common = how, pictures, out, progress
        return LateWorkshop(*common, **late) if group == "late" else OutsideWorkshop(*common, **late, frost=frost)
    return Workshop(*common, **shared)


def _patient(config: Config) -> Config:
    """The settings of students that see more images late and start from random weights."""
    late = config.late or config.student
    return replace(config, warm=None, student=late, views=config.late_views if config.late else config.views)


def _lengthened(config: Config) -> Config:
    """The settings of students that learn for longer, by the same schedule."""
    return replace(config, student=replace(config.student, epochs=config.longer * config.student.epochs))
