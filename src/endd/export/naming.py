"""Names in an ONNX graph: of its outputs, of its axes, and what they mean."""

from typing import Any

# Names that no node of torch's has, until the graph is whole.
PREFIX = "endd."
BATCH = "batch"


def name_outputs(model: Any, outputs: dict[str, str]) -> None:
    """Take the prefix off the outputs and say what they mean; a node inside that bears the name of one gets another."""
    for node in model.graph.all_nodes():
        for value in node.outputs:
            if value.name in outputs:
                value.name = f"{value.name}.inside"
    for output in model.graph.outputs:
        output.name = output.name.removeprefix(PREFIX)
        output.doc_string = outputs[output.name]


def name_axes(model: Any) -> None:
    """Call the first axis of all inputs the batch, others by their input and place, instead of s77."""
    names: dict[str, str] = {}
    for value in model.graph.inputs:
        for axis, size in enumerate(value.shape):
            if not isinstance(size, int):
                names.setdefault(str(size.value), BATCH if axis == 0 else f"{value.name}.{axis}")
    nodes = [output for node in model.graph.all_nodes() for output in node.outputs]
    for value in [*model.graph.inputs, *nodes]:
        for axis, size in enumerate(value.shape or ()):
            if not isinstance(size, int) and str(size.value) in names:
                value.shape[axis] = names[str(size.value)]
