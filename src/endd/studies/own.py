"""A row of one's own in a study that is there: the same teachers, the same tests, a method from a user's file."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from endd._damage import reading
from endd._files import check_can_write, make_folder, replace_file
from endd.models import Ensemble
from endd.persistence import ModelFolderError, load, save
from endd.persistence.folder import DESCRIPTION
from endd.studies.result import OWN, Record, Result
from endd.studies.settings import Settings, check_unchanged

#: The settings that teachers were trained with, beside them.
TEACHERS = "teachers.json"


def check_name(before: Result, name: str, place: str, reserved: Iterable[str] = ()) -> None:
    """Raise if a model has that name, or it is reserved: a row is replaced by the same method alone.

    place: where the method is, FILE.py:NAME; its file may have moved since then.
    """
    mine: dict[str, str] = before.config.get(OWN, {})
    if name in mine and Path(mine[name]).name != Path(place).name:
        raise ValueError(
            f"Expected a name that no other method of the folder has, but {name!r} is the row of {mine[name]}. Rename "
            "the method."
        )
    theirs = [model for model in dict.fromkeys([*before.models(), *reserved]) if model not in mine]
    if name in theirs:
        raise ValueError(
            f"Expected a name that no model of the study has, but {name!r} is one of {', '.join(theirs)}. Rename the "
            "method."
        )


def with_row(before: Result, name: str, place: str, records: Sequence[Record]) -> Result:
    """A result with the records of one more model; a row of that name is replaced, but none of the study's."""
    check_name(before, name, place)
    mine: dict[str, Any] = before.config.get(OWN, {})
    others = [record for record in before.records if record.model != name]
    return replace(before, config=before.config | {OWN: mine | {name: place}}, records=[*others, *records])


def kept_teachers(
    folder: Path | None, count: int, settings: Settings, train: Callable[[], Sequence[Ensemble]]
) -> list[Ensemble]:
    """Teachers from a folder, FOLDER/0, FOLDER/1, ..., or trained, and put there if one is named.

    settings: of the study. Teachers that were made with others may have seen what they are tested on, and are refused,
    as is a folder of anything else.
    """
    if folder is None:
        return list(train())
    places, plain = [folder / str(number) for number in range(count)], _of_teachers(settings)
    if folder.is_dir() and any(folder.iterdir()):
        _check_teachers(folder, plain)
    if all((place / DESCRIPTION).exists() for place in places):
        return [_kept(place, folder) for place in places]
    check_can_write(folder, "--teacher")
    teachers = list(train())
    make_folder(folder)
    replace_file(folder / TEACHERS, (json.dumps(plain, indent=1) + "\n").encode())
    for place, teacher in zip(places, teachers, strict=True):
        save(teacher, place)
    return teachers


def _kept(place: Path, folder: Path) -> Ensemble:
    try:
        teacher: Ensemble = load(place)
    except (ModelFolderError, FileNotFoundError) as error:
        raise ModelFolderError(f"{error} For that, delete {folder}: all its teachers are then trained again.") from None
    return teacher


def _of_teachers(settings: Settings) -> dict[str, Any]:
    """The settings without those of students alone, and of which data sets and how much at once."""
    free = ("datasets", "together", "sweep", "samples", "v")
    return {name: value for name, value in settings.as_plain().items() if name not in free and "student" not in name}


def _check_teachers(folder: Path, plain: dict[str, Any]) -> None:
    remedy = "Choose another --teacher, or leave it out to train them."
    file = folder / TEACHERS
    if not file.exists():
        raise ValueError(
            f"Expected a new folder, or teachers with their settings, but {folder} has no {TEACHERS}. {remedy}"
        )
    with reading(file, "the settings of the teachers", remedy):
        theirs = dict(json.loads(file.read_text()))
    check_unchanged(theirs, plain, (), remedy, f"the teachers in {folder}")
