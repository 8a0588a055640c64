"""Names inside an ONNX graph."""

import onnx
import torch

import endd
from endd.export import export_onnx
from endd.families import MultivariateGaussian
from tests.export.runtime import student_of


def shapes(values: object) -> dict[str, list[str | int]]:
    return {
        value.name: [axis.dim_param or axis.dim_value for axis in value.type.tensor_type.shape.dim]
        for value in values  # type: ignore[attr-defined]
    }


def test_outputs_axes_and_their_words(tmp_path) -> None:  # type: ignore[no-untyped-def]
    # a graph with a node of torch's inside that is called `mean` too
    export_onnx(student_of(MultivariateGaussian(2)), tmp_path / "model.onnx")
    model = onnx.load(tmp_path / "model.onnx")
    onnx.checker.check_model(model, full_check=True)
    assert shapes(model.graph.input) == {"x": ["batch", 3]}
    vectors, numbers = ["mean", "lower", "upper"], ["total", "aleatoric", "epistemic"]
    assert shapes(model.graph.output) == {name: ["batch", 2] for name in vectors} | {n: ["batch"] for n in numbers}
    said = {output.name: output.doc_string for output in model.graph.output}
    assert said["upper"] == "the upper end of the central 95% interval of y"


def test_open_axes_are_named_by_their_input(tmp_path) -> None:  # type: ignore[no-untyped-def]
    class Words(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(10, 5)

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            kept = self.table(ids) * mask.unsqueeze(-1)
            return kept.sum(1)

    student = endd.Student(Words(), endd.families.Gaussian())
    ids = torch.zeros(3, 4, dtype=torch.int64)
    export_onnx(student, tmp_path / "model.onnx", example={"ids": ids, "mask": ids.float()})
    found = shapes(onnx.load(tmp_path / "model.onnx").graph.input)
    assert found == {"ids": ["batch", "ids.1"], "mask": ["batch", "ids.1"]}
