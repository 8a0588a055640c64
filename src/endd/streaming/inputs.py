"""Inputs of a teacher out of a file: arrays as they are, tables by the encoder that the teacher's estimator has."""

from pathlib import Path
from typing import Any

import torch

from endd.data.files import TableFile
from endd.models import Ensemble
from endd.streaming.columns import Estimator
from endd.streaming.files import ROWS, check_columns, kinds_of
from endd.training.cache import Rows, as_rows
from endd.training.cache.rows import TableRows


def teacher_of(model: Any, folder: Path) -> Any:
    """The teacher that a model folder holds: an ensemble or a sampler itself, or the one that an estimator kept."""
    if not isinstance(model, Estimator):
        return model
    if not isinstance(model.teacher_, Ensemble):
        raise ValueError(f"Expected the ensemble that taught the model in {folder}, but it was not kept there.")
    return model.teacher_


def read_rows(path: Path, model: Any = None, encoding: str = "utf-8") -> Rows:
    """Rows of an .npy or Parquet file, or of a folder of the latter; of an estimator, of a table encoded for it."""
    if isinstance(model, Estimator):
        return TableRows(_encoded(TableFile(path, encoding), model))
    if not path.exists():
        raise FileNotFoundError(f"Expected inputs at {path}, but there is no such file.")
    if path.suffix != ".npy" and not path.is_dir() and path.suffix not in (".parquet", ".pq"):
        raise ValueError(f"Expected inputs as .npy, .npz or Parquet, for the model takes numbers, but got {path}.")
    rows = as_rows(path)
    assert isinstance(rows, Rows)
    return rows


def _encoded(source: TableFile, model: Estimator) -> torch.Tensor:
    encoder = model.encoder_
    check_columns(source, encoder.names, "of training")
    batches = source.batches(encoder.names, kinds_of(encoder), ROWS)
    parts = [torch.as_tensor(encoder.encode(batch)[0]) for batch in batches]
    if not parts:
        raise ValueError(f"Expected rows in {source.path}, but it has none.")
    return torch.cat(parts)
