"""Labelling: what a teacher says about every input, written down shard by shard."""

import math
import warnings
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from endd._checks import check_option
from endd._files import make_folder
from endd.engines import Engine, map_parts
from endd.models.inputs import MOST_ROWS
from endd.training.cache.asking import (
    Teacher,
    check_teacher,
    outputs,
    rows_fingerprint,
    teacher_fingerprint,
    weights_of,
)
from endd.training.cache.fingerprints import file_fingerprint
from endd.training.cache.records import (
    CacheError,
    Plan,
    Record,
    check_same,
    family_words,
    inputs_file,
    read_plan,
    read_record,
    shard_file,
    write_manifest,
    write_plan,
    write_record,
)
from endd.training.cache.rows import Rows, Stream, as_rows, row_bytes
from endd.training.cache.teacher_cache import TeacherCache
from endd.training.cache.writing import write_inputs, write_outputs
from endd.training.progress import reporter

DTYPES, CONTENTS = ("float16", "float32"), ("members", "moments")
# Inputs and outputs of a shard are about so large, unless told otherwise.
SHARD_BYTES, MAX_SHARD_ROWS = 1 << 25, 1 << 16


@dataclass(frozen=True)
class Job:
    """All that a worker needs to know to label a shard."""

    teacher: Teacher
    plan: Plan
    folder: Path
    batch: int
    known: tuple[Record, ...] | None = None  # of a cache that was finished before


def cache_teacher(
    teacher: Teacher,
    inputs: Any,
    path: str | Path,
    *,
    dtype: str = "float32",
    contents: str = "members",
    keep_inputs: bool = False,
    shard_rows: int | None = None,
    batch_size: int = MOST_ROWS,
    engine: Engine | None = None,
    progress: str = "auto",
) -> TeacherCache:
    """Write down what a teacher says about inputs, once, and return what `distill` takes in the teacher's place.

    teacher: an Ensemble or another model whose v is atoms; or OneByOne, of which one member at a time is in memory.
    inputs: see `as_rows`. dtype: "float32" or "float16". contents: "members", or "moments": their mean and covariance,
    all that a student with a normal v learns from. keep_inputs: write the inputs down too, so that the cache is all
    that distillation needs (a stream can be read again only so). shard_rows: rows of a file. batch_size: rows that the
    teacher sees at most at once (see `rows_at_once`). engine: where shards are labelled; by default in this process.

    Stopped at any moment and called again it goes on, and does at most the shards again that were in work. What the
    folder holds already is checked: another teacher and other inputs raise, a damaged shard is named and made again.
    """
    check_option("dtype", dtype, DTYPES)
    check_option("contents", contents, CONTENTS)
    check_teacher(teacher)
    rows, folder = as_rows(inputs), Path(path)
    first = next(rows.parts(1), None) if isinstance(rows, Stream) else rows
    if first is None:
        raise ValueError("Expected at least one input, but the stream gave none.")
    plan = _plan(teacher, rows, first, (dtype, contents, keep_inputs), shard_rows)
    before = read_plan(folder)
    known = None
    if before is not None:
        known = before[1]
        check_same(folder, before[0], replace(plan, rows=before[0].rows) if isinstance(rows, Stream) else plan)
    if known is None:
        make_folder(folder)
        _remove_leftovers(folder)
        write_plan(folder, plan)
    job = Job(teacher, plan, folder, batch_size, None if known is None else tuple(known))
    with reporter(progress, "label", "shard") as told:
        if isinstance(rows, Stream):
            records = _label_stream(job, rows, lambda done: told.update(done, done, {}))
        else:
            shards = range(math.ceil(len(rows) / plan.shard_rows))
            label = partial(label_shard, job, rows)
            records = map_parts(label, shards, engine=engine, tell=lambda done, of: told.update(done, of, {}))
    plan = replace(plan, rows=records[-1].stop)
    if known is not None and len(known) != len(records):
        raise CacheError(f"Expected the inputs that {folder} was labelled for, but {plan.rows} rows came.")
    if known is None or any(folder.glob("shard-*.json")):  # something was made: it may be read-only otherwise
        _remove_leftovers(folder)
        write_manifest(folder, plan, records)
    return TeacherCache(folder)


def label_shard(job: Job, rows: Rows, number: int) -> Record:
    """Label a shard, unless it is there already and whole."""
    start, stop = job.plan.span(number)
    return _labelled(job, rows, number, (start, stop), (start, stop))


def _label_stream(job: Job, stream: Stream, tell: Any) -> list[Record]:
    records = []
    for number, part in enumerate(stream.parts(job.plan.shard_rows)):
        start, _ = job.plan.span(number)
        records.append(_labelled(job, part, number, (0, len(part)), (start, start + len(part))))
        tell(number + 1)
    return records


def _labelled(job: Job, rows: Rows, number: int, place: tuple[int, int], span: tuple[int, int]) -> Record:
    """A shard of the rows at `place`, which are `span` among all."""
    done = _done_before(job, rows, number, place)
    if done is not None:
        return done
    z, seen = outputs(job.teacher, rows, *place, job.batch)
    sha = write_outputs(shard_file(job.folder, number), z, job.plan, span)
    kept = write_inputs(inputs_file(job.folder, number), rows, *place) if job.plan.keep_inputs else None
    record = Record(number, *span, sha, seen, kept)
    write_record(job.folder, record)
    return record


def _done_before(job: Job, rows: Rows, number: int, place: tuple[int, int]) -> Record | None:
    """The record of a shard that an earlier run made, if its files are as they were written."""
    if job.known is not None:
        record = job.known[number] if number < len(job.known) else None
    else:
        record = read_record(job.folder, number)
    if record is None:
        return None
    if record.inputs != rows_fingerprint(rows, *place, job.batch):
        raise CacheError(
            f"Expected the inputs that {job.folder} was labelled for, but rows {record.start} to {record.stop - 1} are "
            "others now. Choose another folder."
        )
    files = [(shard_file(job.folder, number), record.sha256)]
    files += [] if record.kept_inputs is None else [(inputs_file(job.folder, number), record.kept_inputs)]
    for file, sha in files:
        if not file.is_file() or file_fingerprint(file) != sha:
            warnings.warn(f"{file} is damaged or gone, and is made again.", RuntimeWarning, stacklevel=2)
            return None
    return record


def _plan(
    teacher: Teacher, rows: Rows | Stream, first: Rows, settings: tuple[str, str, bool], shard_rows: int | None
) -> Plan:
    dtype, contents, keep_inputs = settings
    z, _ = outputs(teacher, first, 0, 1, 1)
    if shard_rows is None:
        size = z[:, 0].numel() * np.dtype(dtype).itemsize + row_bytes(first.read(0, 1))
        shard_rows = min(max(SHARD_BYTES // size, 1), MAX_SHARD_ROWS)
    elif shard_rows < 1:
        raise ValueError(f"Expected `shard_rows` of at least 1, but got {shard_rows}.")
    return Plan(
        None if isinstance(rows, Stream) else len(rows),
        shard_rows,
        *(len(z), z.shape[-1], dtype, contents, keep_inputs),
        family_words(teacher.family),
        weights_of(teacher),
        teacher_fingerprint(teacher),
    )


def _remove_leftovers(folder: Path) -> None:
    """Delete what workers that were killed have left behind."""
    for name in (".shard-*", ".inputs-*", ".plan.json-*", ".manifest.json-*"):
        for file in folder.glob(name):
            file.unlink(missing_ok=True)
