"""endd.export_onnx."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from endd.export.naming import PREFIX, name_axes, name_outputs
from endd.export.place import in_place
from endd.export.quiet import quietly
from endd.export.tracing import Exported, Traced, not_exportable, trace
from endd.export.translations import translations


def export_onnx(model: Exported, path: str | Path, example: Any = None, *, interval: bool = True) -> None:
    """Write a model as one ONNX graph with named outputs: what `predict` says, for a batch of any size.

    Outputs: mean (or probabilities), total, aleatoric, epistemic, and for continuous y lower and upper of a 95 %
    interval, all in the user's units. What is attached to a student replaces the interval by a conformal one or adds
    `accept` and `set`, and its recalibration is part of the graph. Inputs: those of the network; of an estimator,
    `numbers` (float64, NaN where missing) and `codes` of its categories. The file's metadata says what each of them
    means.

    example: inputs such as the network takes (a tensor, or a dict or tuple of them), needed for networks of your own.
    Axes of named inputs other than the batch stay open where the network leaves them open. interval: without it `lower`
    and `upper` are left out, which cost most.
    """
    missing = [name for name in ("onnx", "onnxscript") if find_spec(name) is None]
    if missing:
        raise ImportError(f"Expected {' and '.join(missing)} for an ONNX file. Use pip install 'endd[onnx]'.")
    with in_place(path) as temporary:
        write_onnx(trace(model, example, interval=interval), temporary)


def write_onnx(traced: Traced, path: Path) -> None:
    """The program as an ONNX file."""
    with quietly():
        _converted(traced).save(path, external_data=False)


def _converted(traced: Traced) -> Any:
    """The graph with its names and words in it."""
    names = {"input_names": traced.inputs, "output_names": [PREFIX + name for name in traced.outputs]}
    options: dict[str, Any] = {"dynamo": True, "verbose": False, "custom_translation_table": translations()}
    try:
        made: Any = torch.onnx.export(traced.program, **names, **options)  # type: ignore[arg-type]
    except torch.onnx.OnnxExporterError as error:
        while error.__cause__ is not None:  # the first of a chain says what is missing
            error = error.__cause__  # type: ignore[assignment]
        raise not_exportable(error, "torch.onnx") from None
    made.model.metadata_props.update(traced.metadata)
    name_outputs(made.model, traced.outputs)
    name_axes(made.model)
    return made
