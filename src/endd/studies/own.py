"""A row of one's own in a study that is there: the same teachers, the same tests, a method from a user's file."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from endd._damage import reading
from endd._files import check_can_write
from endd.models import Ensemble
from endd.persistence import ModelFolderError, load, save
from endd.studies.result import CONFIG, OWN, Record, Result
from endd.studies.settings import Settings, check_unchanged


def check_name(before: Result, name: str, reserved: Iterable[str] = ()) -> None:
    """Raise if a model of the study has that name, or one that is reserved: rows of one's own alone are replaced."""
    theirs = [
        model for model in dict.fromkeys([*before.models(), *reserved]) if model not in before.config.get(OWN, {})
    ]
    if name in theirs:
        raise ValueError(
            f"Expected a name that no model of the study has, but {name!r} is one of {', '.join(theirs)}. Rename the "
            "method."
        )


def with_row(before: Result, name: str, place: str, records: Sequence[Record]) -> Result:
    """A result with the records of one more model; a row of that name is replaced, but none of the study's."""
    check_name(before, name)
    mine: dict[str, Any] = before.config.get(OWN, {})
    others = [record for record in before.records if record.model != name]
    return replace(before, config=before.config | {OWN: mine | {name: place}}, records=[*others, *records])


def kept_teachers(
    folder: Path | None, count: int, settings: Settings, train: Callable[[], Sequence[Ensemble]]
) -> list[Ensemble]:
    """Teachers from a folder, FOLDER/0, FOLDER/1, ..., or trained, and put there if one is named.

    settings: of the study. Teachers that were made with others may have seen what they are tested on, and are refused.
    """
    if folder is None:
        return list(train())
    places, plain = [folder / str(number) for number in range(count)], _of_teachers(settings)
    if all((place / "model.json").exists() for place in places):
        _check_teachers(folder, plain)
        return [_kept(place, folder) for place in places]
    check_can_write(folder, "--teacher")
    teachers = list(train())
    for place, teacher in zip(places, teachers, strict=True):
        save(teacher, place)
    (folder / CONFIG).write_text(json.dumps(plain, indent=1) + "\n")
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
    with reading(folder / CONFIG, "the settings of the teachers", remedy):
        theirs = dict(json.loads((folder / CONFIG).read_text()))
    check_unchanged(theirs, plain, (), remedy)
