"""Inputs of a teacher out of a file: arrays as they are, tables by the encoder that the teacher's estimator has."""

from pathlib import Path
from typing import Any

from endd.data.files import TableFile
from endd.models import Ensemble
from endd.streaming.columns import Estimator
from endd.streaming.encoded import encoded_table
from endd.streaming.files import ROWS
from endd.training.cache import Rows, as_rows
from endd.training.cache.rows import Stream, joined


def teacher_of(model: Any, folder: Path) -> Any:
    """The teacher that a model folder holds: an ensemble or a sampler itself, or the one that an estimator kept."""
    if not isinstance(model, Estimator):
        return model
    if not isinstance(model.teacher_, Ensemble):
        raise ValueError(f"Expected the ensemble that taught the model in {folder}, but it was not kept there.")
    return model.teacher_


def read_rows(path: Path, model: Any = None, encoding: str = "utf-8") -> Rows | Stream:
    """Rows of an .npy or Parquet file, or of a folder of the latter; of an estimator, of a table encoded for it.

    A Parquet table is read a row group at a time, in any order; a CSV from its beginning to its end.
    """
    if isinstance(model, Estimator):
        return encoded_table(TableFile(path, encoding), model.encoder_)
    if not path.exists():
        raise FileNotFoundError(f"Expected inputs at {path}, but there is no such file.")
    if path.suffix != ".npy" and not path.is_dir() and path.suffix not in (".parquet", ".pq"):
        raise ValueError(f"Expected inputs as .npy, .npz or Parquet, for the model takes numbers, but got {path}.")
    return as_rows(path)


def read_all(rows: Rows | Stream) -> Any:
    """All rows at once."""
    if isinstance(rows, Rows):
        return rows.read(0, len(rows))
    parts = [part.read(0, len(part)) for part in rows.parts(ROWS)]
    if not parts:
        raise ValueError("Expected at least one input, but the table has none.")
    return joined(parts)
