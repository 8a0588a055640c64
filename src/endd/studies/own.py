"""A row of one's own in a study that is there: the same teachers, the same tests, a method from a user's file."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from endd.models import Ensemble
from endd.persistence import load, save
from endd.studies.result import Record, Result

#: Where a result says which rows were added, and from where.
OWN = "own"


def with_row(before: Result, name: str, place: str, records: Sequence[Record]) -> Result:
    """A result with the records of one more model; a row of that name is replaced, but none of the study's."""
    mine: dict[str, Any] = before.config.get(OWN, {})
    if name in before.models() and name not in mine:
        raise ValueError(
            f"Expected a name that no model of the study has, but {name!r} is one of {', '.join(before.models())}. "
            "Rename the method."
        )
    others = [record for record in before.records if record.model != name]
    return replace(before, config=before.config | {OWN: mine | {name: place}}, records=[*others, *records])


def kept_teachers(folder: Path | None, count: int, train: Callable[[], Sequence[Ensemble]]) -> list[Ensemble]:
    """Teachers from a folder, FOLDER/0, FOLDER/1, ..., or trained, and put there if one is named."""
    places = [] if folder is None else [folder / str(number) for number in range(count)]
    if places and all((place / "model.json").exists() for place in places):
        return [load(place) for place in places]
    teachers = list(train())
    for place, teacher in zip(places, teachers, strict=bool(places)):
        save(teacher, place)
    return teachers
