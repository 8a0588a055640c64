"""Models as graphs that run without endd: ONNX files, and programs of torch.export."""

from endd.export.onnx_file import export_onnx
from endd.export.torch_file import export_torch

__all__ = ["export_onnx", "export_torch"]
