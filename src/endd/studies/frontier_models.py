"""Which models the frontier consists of, and what makes them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from endd.studies.cifar10_config import Config as Study
from endd.studies.cifar10_images import Pictures
from endd.studies.cifar10_lessons import Lessons
from endd.studies.cifar10_methods import students
from endd.studies.cifar10_training import Workshop
from endd.studies.frontier_config import Config
from endd.studies.frontier_levers import LEVERS, side_by_side
from endd.studies.frontier_training import PartsWorkshop, SinglesWorkshop, StudentsWorkshop

WORKSHOPS = {
    "ensembles": PartsWorkshop,
    "singles": SinglesWorkshop,
    "students": StudentsWorkshop,
    "levers": StudentsWorkshop,
}
#: The student that has none of the levers.
BASELINE = "student_1"


@dataclass(frozen=True)
class Unit:
    """Models of one width that are made together: their group, and what each of them is by name.

    study: the settings that they are made with. shelf: where they are kept. wanted: which of them, all by default;
    they start from the same weights whichever others there are.
    """

    group: str
    shelf: str
    study: Study = field(compare=False)
    kinds: dict[str, Any] = field(compare=False)
    wanted: tuple[str, ...] | None = field(default=None, compare=False)

    def names(self) -> set[str]:
        """The models that are wanted."""
        return {*self.kinds} if self.wanted is None else {*self.kinds} & {*self.wanted}

    def workshop(self, pictures: Pictures, out: Path, progress: str, teacher: Path, lessons: Lessons) -> Workshop:
        """Where they are made."""
        common = self.study, pictures, out, progress, self.kinds, self.shelf
        return WORKSHOPS[self.group](*common, teacher=teacher, lessons=lessons).only(self.names())


def units(config: Config) -> Iterator[Unit]:
    """All of a study, narrow ones first. The single network of width 1 is the teacher's first member."""
    if "ensembles" in config.groups:
        sizes = {f"ensemble_{size}": size for size in config.all_sizes()}
        yield _unit(config, "ensembles", 1.0, {"single_1": 1} | sizes)
    for width in sorted(config.widths):
        if "singles" in config.groups and width != 1:
            yield _unit(config, "singles", width, {f"single_{width:g}": None})
        if "students" in config.groups:
            yield _unit(config, "students", width, _taught(config, width))
        if "students" in config.groups and width == 1 and not config.warm:  # no member has a dense network
            dense = students(config.at(1))["dense"]["distilled_dense"]
            yield Unit("students", "dense-1", config.at(1), {"dense_1": dense})
    if "levers" in config.groups:
        if "students" not in config.groups or 1 not in config.widths:  # what they are compared with
            yield _unit(config, "students", 1.0, _taught(config, 1.0), (BASELINE,))
        for study, names in side_by_side(config.at(1)):
            kinds = {name: LEVERS[name].kind(config.at(1)) for name in names}
            if {*names} & {*config.all_levers()}:
                yield Unit("levers", f"levers/{names[0]}", study, kinds, config.all_levers())


def _unit(
    config: Config, group: str, width: float, kinds: dict[str, Any], wanted: tuple[str, ...] | None = None
) -> Unit:
    return Unit(group, f"{group}-{width:g}", config.at(width), kinds, wanted)


def whole(config: Config) -> str:
    """The name of the teacher among the ensembles."""
    return f"ensemble_{config.study.members}"


def _taught(config: Config, width: float) -> dict[str, Any]:
    """The low-rank student and, at the width of the members, Hydra, which has a head for each of them."""
    known = students(config.at(width))
    found = {f"student_{width:g}": known["students"]["distilled_low_rank"]}
    return found | {"hydra": known["rivals"]["hydra"]} if width == 1 else found
