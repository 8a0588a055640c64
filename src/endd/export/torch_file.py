"""endd.export_torch."""

from pathlib import Path
from typing import Any

import torch

from endd.export.place import in_place
from endd.export.quiet import quietly
from endd.export.tracing import Exported, trace


def export_torch(model: Exported, path: str | Path, example: Any = None, *, interval: bool = True) -> None:
    """Write a model as a program of torch.export (.pt2), which torch runs without endd.

    torch.export.load(path).module()(x) returns a dict of the outputs that `export_onnx` names, lower and upper only
    with an interval; x is what `predict` takes, for an estimator a dict of numbers and codes. The words of an ONNX
    file's metadata are the extra files.
    """
    with in_place(path) as temporary:
        traced = trace(model, example, interval=interval)
        with quietly():
            torch.export.save(traced.program, temporary, extra_files=traced.metadata)
