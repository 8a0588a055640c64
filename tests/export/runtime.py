"""What the tests of exported graphs share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from torch import Tensor

import endd
from endd.families import Family
from endd.nn import MLP

Arrays = dict[str, np.ndarray]


def student_of(family: Family, v: Any = None, seed: int = 0) -> endd.Student:
    """An untrained student of three numbers."""
    generator = torch.Generator().manual_seed(seed)
    net = MLP(3, [8], endd.num_outputs(family, v), generator=generator)
    return endd.Student(net, family, v).eval()


def opened(path: Path) -> Callable[[Any], Arrays]:
    """An ONNX file as a function: inputs in, outputs by name."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options)
    names = [output.name for output in session.get_outputs()]

    def run(inputs: Any) -> Arrays:
        inputs = {"x": inputs} if isinstance(inputs, Tensor) else inputs
        found = session.run(None, {name: np.asarray(value) for name, value in inputs.items()})
        return dict(zip(names, found, strict=True))

    return run


def run_onnx(path: Path, inputs: Any) -> Arrays:
    """The outputs of an ONNX file by name."""
    return opened(path)(inputs)


def metadata(path: Path) -> dict[str, str]:
    """The words in an ONNX file."""
    found: dict[str, str] = onnxruntime.InferenceSession(path).get_modelmeta().custom_metadata_map
    return found


def arrays(answer: dict[str, Tensor]) -> Arrays:
    return {name: value.detach().numpy() for name, value in answer.items()}


def tolerance(value: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """rtol 1e-5, atol 1e-6 times the spread of the output, where it is finite."""
    allowed: np.ndarray = 1e-5 * np.abs(value) + 1e-6 * np.std(spread[np.isfinite(spread)].astype(np.float64))
    return allowed


def float32_loss(rounded: Arrays, exact: Arrays) -> dict[str, float]:
    """How many tolerances float32 is off at worst, for each output."""
    found = {}
    for name, value in rounded.items():
        with np.errstate(invalid="ignore"):
            off = np.where(np.isfinite(value), np.abs(value - exact[name]), 0.0)
        found[name] = float((off / np.maximum(tolerance(value, value), 1e-300)).max())
    return found


def check_agreement(
    found: Arrays, expected: Arrays, spread: Arrays | None = None, loss: dict[str, float] | None = None
) -> None:
    """Agreement to the tolerance; loss: how many tolerances float32 itself loses on such inputs, if more than one."""
    assert list(found) == list(expected)
    for name, value in expected.items():
        assert found[name].shape == value.shape
        assert found[name].dtype == value.dtype
        times = 1.0 if loss is None else max(1.0, 2 * loss[name])
        with np.errstate(invalid="ignore"):
            off = np.abs(found[name] - value) / np.maximum(tolerance(value, (spread or expected)[name]), 1e-300)
        off = np.where(found[name] == value, 0.0, off)
        assert (off <= times).all(), f"{name} is off by {off.max()} tolerances, {times} are allowed"
