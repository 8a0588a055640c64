"""What a student costs beside its ensemble, in Python and in onnxruntime.

Claims, as ratios within one run on two cores: onnxruntime answers at batch 1 at least 1.5 times as fast as Python, for
a tabular student and for a ResNet-20; a student with its split of uncertainty is at least 8 (ResNet-20) and 3 (tabular)
times as fast as a bare loop over its ten members, which splits nothing. Beside it stands the stacked ensemble, all
members in one pass. "python" is what `predict` and the reading of its parts take. The interval is timed apart.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import onnxruntime
import torch
from torch import Tensor, nn

import endd
from benchmarks.timing import milliseconds, ratio, take_turns, write
from endd.export.answer import PARTS, Answer
from endd.models.stacking import stacked_forward
from endd.nn import MLP, ResNet

MEMBERS, ROUNDS = 10, 15
Work = Callable[[], object]


def tabular() -> tuple[endd.Student, list[nn.Module], Tensor]:
    family = endd.families.Gaussian()
    student = endd.Student(MLP(8, [64, 64], endd.num_outputs(family)), family)
    return student.eval(), [MLP(8, [64, 64], 2).eval() for _ in range(MEMBERS)], torch.randn(1024, 8)


def images() -> tuple[endd.Student, list[nn.Module], Tensor]:
    family = endd.families.Categorical(10)
    student = endd.Student(ResNet(20, endd.num_outputs(family)), family)
    return student.eval(), [ResNet(20, 10).eval() for _ in range(MEMBERS)], torch.randn(64, 3, 32, 32)


def session(path: Path, outputs: list[str] | None) -> Callable[[Any], Any]:
    """A call of an ONNX file; it computes no more than the outputs that are asked for."""
    opened = onnxruntime.InferenceSession(path)
    return lambda x: opened.run(outputs, {"x": x})


def parts(student: endd.Student, x: Tensor) -> None:
    """The prediction and its split, without the interval."""
    prediction = student.predict(x)
    _ = prediction.probs if student.family.shift_invariant else prediction.mean
    for part in PARTS:
        getattr(prediction, part)


def contestants(folder: Path, student: endd.Student, nets: list[nn.Module], x: Tensor) -> dict[str, Work]:
    """Everything that is timed, by name, for one batch x; files are written once for all batches."""
    first = "probabilities" if student.family.shift_invariant else "mean"
    array, asked = x.numpy(), [first, *PARTS]
    answer, exported = Answer(student), session(folder / "student.onnx", None)
    split = session(folder / "student.onnx", asked)
    members = [session(folder / f"member{place}.onnx", None) for place in range(MEMBERS)]
    stacked = session(folder / "stacked.onnx", asked)
    return {
        "python: student": partial(parts, student, x),
        "python: student with all outputs": lambda: answer(x),
        "python: loop over members": lambda: [net(x) for net in nets],
        "python: stacked members": lambda: stacked_forward(nets, x, None),
        "onnxruntime: student": lambda: split(array),
        "onnxruntime: student with all outputs": lambda: exported(array),
        "onnxruntime: loop over members": lambda: [member(array) for member in members],
        "onnxruntime: stacked ensemble with its split": lambda: stacked(array),
    }


def prepare(folder: Path, student: endd.Student, nets: list[nn.Module], x: Tensor) -> None:
    """The student, every bare member and the whole ensemble as ONNX files."""
    family = endd.families.Categorical(10) if student.family.shift_invariant else student.family
    endd.export_onnx(student, folder / "student.onnx")
    endd.export_onnx(endd.Ensemble(nets, family, stacking="stacked"), folder / "stacked.onnx")
    batch = {"x": {0: torch.export.Dim("batch")}}
    for place, net in enumerate(nets):
        options = {"dynamo": True, "input_names": ["x"], "dynamic_shapes": batch, "verbose": False}
        torch.onnx.export(net, (x[:2],), folder / f"member{place}.onnx", external_data=False, **options)


def compare(name: str, batch: int, times: dict[str, list[float]]) -> dict[str, Any]:
    """The ratios of one network at one batch size."""
    found: dict[str, Any] = {"network": name, "batch": batch}
    found["python / onnxruntime"] = ratio(times, "python: student", "onnxruntime: student")
    full = ("python: student with all outputs", "onnxruntime: student with all outputs")
    found["the same with all outputs"] = ratio(times, *full)
    for where, stacked in (("python", "stacked members"), ("onnxruntime", "stacked ensemble with its split")):
        found[f"{where}: loop / student"] = ratio(times, f"{where}: loop over members", f"{where}: student")
        found[f"{where}: stacked / student"] = ratio(times, f"{where}: {stacked}", f"{where}: student")
    rounded = {key: round(value, 3) if isinstance(value, float) else value for key, value in found.items()}
    return rounded | {"ms": milliseconds(times)}


def main() -> None:
    torch.manual_seed(0)
    rows = []
    cases = {"MLP 8-64-64": (tabular, (1, 64, 1024)), "ResNet-20": (images, (1, 64))}
    with tempfile.TemporaryDirectory() as name, torch.no_grad():
        for network, (make, batches) in cases.items():
            student, nets, x = make()
            prepare(Path(name), student, nets, x)
            for batch in batches:
                repeat = 20 if batch == 1 and make is tabular else 1
                times = take_turns(contestants(Path(name), student, nets, x[:batch]), ROUNDS, repeat)
                rows.append(compare(network, batch, times))
    write("export", rows)
