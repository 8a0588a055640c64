"""From a table on disk to another that says what a model makes of it, a batch at a time."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from endd.data.columns import CATEGORIES, NUMBERS
from endd.data.files import TableFile
from endd.data.tables import Oddities, TableEncoder
from endd.data.writing import new_table
from endd.streaming.columns import Arrays, Estimator, columns_of
from endd.streaming.workers import Workers
from endd.training.progress import reporter

# Rows that are read at once; rows that the network sees at once, whose activations then fit into the cache.
ROWS, ROWS_AT_ONCE = 1 << 16, 1 << 12
# Batches that are read before the first of them is written.
AHEAD = 2


def predict_file(
    model: Estimator,
    source: TableFile,
    out: str | Path,
    *,
    interval: bool = True,
    keep: Sequence[str] = (),
    workers: int = 1,
    progress: str = "auto",
) -> int:
    """Write what a model says about every row of a table; returns the number of rows.

    interval: whether a regression gets the ends of its 95 % interval. keep: columns of the table to copy. workers:
    threads that ask the network; torch itself should then use one, or all would wait for each other.
    """
    if Path(out).exists() and source.path.samefile(out):
        raise ValueError(f"Expected another file to write than the table itself, but got {out} for both. Change `out`.")
    encoder, write = model.encoder_, columns_of(model, interval)
    check_columns(source, encoder.names, "of training")
    check_columns(source, keep, "to keep")
    wanted = [*encoder.names, *(name for name in keep if name not in encoder.names)]
    kinds = kinds_of(encoder) | {name: CATEGORIES for name in wanted if name not in encoder.names}
    seen = Oddities(0)
    with (
        new_table(out) as writer,
        reporter(progress, "predict", source.unit) as told,
        Workers(write.part, workers, AHEAD) as pool,
    ):

        def put(kept: Any, parts: list[Arrays]) -> None:
            written = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            writer.write(source.pa.table(_beside(kept, written)))
            told.update(round(source.done), round(source.total), {})

        for batch in source.batches(wanted, kinds, ROWS):
            x, odd = encoder.encode(batch.select(encoder.names))
            if model.strict:
                odd.report(strict=True)
            seen = seen.joined(odd)
            for done in pool.add(batch.select(list(keep)), torch.as_tensor(x).split(ROWS_AT_ONCE)):
                put(*done)
        for done in pool.rest():
            put(*done)
        if not seen.rows:
            raise ValueError(f"Expected rows in {source.path}, but it has none.")
    seen.report(strict=False)
    return seen.rows


def _beside(kept: Any, written: Arrays) -> dict[str, Any]:
    """Columns of the table and columns about it as one."""
    taken = [name for name in kept.column_names if name in written]
    if taken:
        raise ValueError(
            f"Expected columns to keep with names of their own, but got {', '.join(map(repr, taken))}, which is "
            "written. Rename it."
        )
    return dict(zip(kept.column_names, kept.columns, strict=True)) | written


def kinds_of(encoder: TableEncoder) -> dict[str, str]:
    """Which columns hold numbers, and which categories."""
    numbers = dict.fromkeys(encoder.numeric.names, NUMBERS)
    return numbers | {column.name: CATEGORIES for column in encoder.categorical}


def check_columns(source: TableFile, names: Sequence[str], which: str) -> None:
    """Raise unless a table has these columns."""
    missing = [name for name in names if name not in source.names]
    if missing:
        raise ValueError(
            f"Expected the columns {which} in {source.path}, but it lacks {', '.join(map(repr, missing))}. Add them; "
            f"it has {', '.join(map(repr, source.names))}."
        )
