"""A small teacher and its inputs, which the tests of the cache share."""

from pathlib import Path
from typing import Any

import torch

import endd
from endd.families import Gaussian
from endd.nn import MLP
from endd.training import TeacherCache, cache_teacher

X = torch.linspace(-2, 2, 100).reshape(50, 2)


def ensemble(members: int = 3, seed: int = 1) -> endd.Ensemble:
    torch.manual_seed(seed)
    return endd.Ensemble([MLP(2, [6], 2) for _ in range(members)], Gaussian())


def label(path: Path, teacher: Any = None, inputs: Any = X, **options: Any) -> TeacherCache:
    """Seven shards of up to eight rows."""
    settings = {"shard_rows": 8, "progress": "none", **options}
    return cache_teacher(ensemble() if teacher is None else teacher, inputs, path, **settings)


def files_of(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}
