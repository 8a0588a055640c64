"""ONNX's own words for operations of torch."""

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from torch.nn import functional

import endd
from endd.export import export_onnx
from endd.export.translations import translations
from endd.families import Gaussian
from tests.export.runtime import run_onnx


class Soft(torch.nn.Linear):
    """Means that are a softplus of their input."""

    beta = 1.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.pad(functional.softplus(x, self.beta), (0, 4))


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_softplus_is_one_node_and_keeps_its_digits(beta: float, tmp_path: Path) -> None:
    net = Soft(1, 1)
    net.beta = beta
    x = torch.cat([torch.linspace(-80, 80, 4001), torch.linspace(-0.01, 0.01, 401)]).unsqueeze(-1) / beta
    path = tmp_path / "model.onnx"
    export_onnx(endd.Student(net, Gaussian()), path, example=x[:2], interval=False)
    expected = functional.softplus(x.double(), beta, threshold=1000).squeeze(-1).numpy()
    np.testing.assert_allclose(run_onnx(path, x)["mean"], expected, rtol=1e-6)
    kinds = [node.op_type for node in onnx.load(path).graph.node]
    assert kinds.count("Softplus") == 3  # the student itself has two
    assert "Greater" not in kinds


def test_what_is_translated() -> None:
    assert list(translations()) == [torch.ops.aten.softplus.default]
