"""What a cache says of itself: a plan from the start, a record beside every shard, one manifest in the end."""

import json
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any

from endd._files import replace_file
from endd.families import Family

FORMAT, VERSION = "endd teacher cache", 1
PLAN, MANIFEST = "plan.json", "manifest.json"
# What a change of each part of the plan means to whoever made it.
CHANGES = {
    "teacher": "was labelled by another teacher",
    "family": "was labelled by a teacher of another family",
    "rows": "was labelled for another number of inputs",
}


class CacheError(ValueError):
    """A cache that is damaged, unfinished, or of another teacher or other data."""


@dataclass(frozen=True)
class Plan:
    """What is written: shapes, type, whose words they are."""

    rows: int | None
    shard_rows: int
    members: int
    parameters: int
    dtype: str
    contents: str
    keep_inputs: bool
    family: dict[str, Any]
    weights: list[float] | None
    teacher: str

    def shape(self, rows: int) -> tuple[int, ...]:
        """That of a shard of so many rows: z (M, n, P), or moments (n, P + P (P + 1) / 2)."""
        P = self.parameters
        return (rows, P + P * (P + 1) // 2) if self.contents == "moments" else (self.members, rows, P)

    def span(self, number: int) -> tuple[int, int]:
        """The rows of a shard: from, and to before."""
        start = number * self.shard_rows
        stop = start + self.shard_rows
        return start, stop if self.rows is None else min(stop, self.rows)


@dataclass(frozen=True)
class Record:
    """A shard that is done: its rows, and hashes of its file, of its inputs, and of the file of these if kept."""

    shard: int
    start: int
    stop: int
    sha256: str
    inputs: str
    kept_inputs: str | None = None


def family_words(family: Family) -> dict[str, Any]:
    """The name of a family and its settings, as JSON has them."""
    settings: dict[str, Any] = asdict(family) if is_dataclass(family) else {"settings": repr(family)}
    if not is_dataclass(family) and (family.shift, family.scale) != (0.0, 1.0):
        settings |= {"shift": family.shift, "scale": family.scale}
    words: dict[str, Any] = json.loads(json.dumps({"name": type(family).__name__, **settings}))
    return words


def shard_file(folder: Path, number: int) -> Path:
    """The outputs of a shard."""
    return folder / f"shard-{number:06d}.npy"


def inputs_file(folder: Path, number: int) -> Path:
    """The inputs of a shard, where they are kept."""
    return folder / f"inputs-{number:06d}.npz"


def record_file(folder: Path, number: int) -> Path:
    """What is known of a shard while others are still to come."""
    return folder / f"shard-{number:06d}.json"


def write_record(folder: Path, record: Record) -> None:
    """Say that a shard is done."""
    replace_file(record_file(folder, record.shard), _text(asdict(record)))


def read_record(folder: Path, number: int) -> Record | None:
    """What is known of a shard, if it is done."""
    try:
        record = Record(**json.loads(record_file(folder, number).read_bytes()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    return record if record.shard == number else None


def write_plan(folder: Path, plan: Plan) -> None:
    """Say what the folder will hold."""
    replace_file(folder / PLAN, _text({"format": FORMAT, "version": VERSION, **asdict(plan)}))


def write_manifest(folder: Path, plan: Plan, records: list[Record]) -> None:
    """Say what the folder holds, all of it, and take the notes along the way away."""
    said = {"format": FORMAT, "version": VERSION, **asdict(plan), "shards": [asdict(record) for record in records]}
    replace_file(folder / MANIFEST, _text(said))
    for record in records:
        record_file(folder, record.shard).unlink(missing_ok=True)
    (folder / PLAN).unlink(missing_ok=True)


def read_plan(folder: Path) -> tuple[Plan, list[Record] | None] | None:
    """The plan of a folder, and the records of all its shards once it is finished; None where it holds nothing."""
    for name in (MANIFEST, PLAN):
        file = folder / name
        if file.is_file():
            return _parsed(file)
    return None


def check_same(folder: Path, before: Plan, now: Plan) -> None:
    """Raise, naming the first difference, unless a cache that is there is the one that is wanted."""
    was, wanted = asdict(before), asdict(now)
    for name in [*CHANGES, *was]:
        if was[name] != wanted[name]:
            what = CHANGES.get(name, f"was labelled with another {name}")
            shown = "" if name == "teacher" else f" ({was[name]}, now {wanted[name]})"
            raise CacheError(
                f"Expected the teacher, inputs and settings that {folder} began with, but it {what}{shown}. "
                "Choose another folder."
            )


def _parsed(file: Path) -> tuple[Plan, list[Record] | None]:
    try:
        said: dict[str, Any] = json.loads(file.read_bytes())
        if said.pop("format") != FORMAT or said.pop("version") != VERSION:
            raise ValueError
        shards = said.pop("shards", None)
        records = None if shards is None else [Record(**shard) for shard in shards]
        plan = Plan(**said)
        _check(plan, records)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CacheError(
            f"Expected {file} to describe a teacher cache of version {VERSION}, but it does not."
        ) from None
    return plan, records


def _check(plan: Plan, records: list[Record] | None) -> None:
    """Raise unless numbers are numbers and shards follow each other."""
    sizes = (plan.shard_rows, plan.members, plan.parameters, *([] if plan.rows is None else [plan.rows]))
    if any(type(size) is not int or size < 1 for size in sizes) or plan.dtype not in ("float16", "float32"):
        raise ValueError
    if not isinstance(plan.family, dict) or not isinstance(plan.family.get("name"), str):
        raise ValueError
    at = 0
    for number, record in enumerate(records or []):
        if (record.shard, record.start) != (number, at) or not at < record.stop <= at + plan.shard_rows:
            raise ValueError
        at = record.stop
    if records is not None and at != plan.rows:
        raise ValueError


def _text(said: dict[str, Any]) -> bytes:
    return (json.dumps(said, indent=1) + "\n").encode()
