"""Operations of torch that ONNX can say in fewer words than torch's exporter does."""

from typing import Any

import torch


def translations() -> dict[Any, Any]:
    """For torch.onnx.export(custom_translation_table=...)."""
    return {torch.ops.aten.softplus.default: _softplus}


def _softplus(x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """ONNX's own. torch returns x beyond a threshold, where log(1 + exp(x)) is x in any case."""
    from onnxscript import opset18 as op

    return op.Softplus(x) if beta == 1 else op.Div(op.Softplus(op.Mul(x, beta)), beta)
