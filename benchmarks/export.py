"""What a student costs beside its ensemble, in Python and in onnxruntime.

Claims, as ratios within one run on two cores: onnxruntime answers at batch 1 at least 1.5 times as fast as Python, for
a tabular student and for a ResNet-20; a student with its split of uncertainty is at least 8 (ResNet-20) and 3 (tabular)
times as fast as a loop over its ten members with theirs. Beside it stand the bare loop, which splits nothing, and the
stacked ensemble, all members in one pass. Graphs are exported without the interval, as "python" reads none; "with all
outputs" is the student with its interval, in both.
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
from endd.models import Model
from endd.nn import MLP, ResNet

MEMBERS, ROUNDS, STACKING = 10, 9, ("loop", "stacked")
Work = Callable[[], object]


def tabular() -> tuple[endd.Student, list[nn.Module], Tensor]:
    family = endd.families.Gaussian()
    student = endd.Student(MLP(8, [64, 64], endd.num_outputs(family)), family)
    return student.eval(), [MLP(8, [64, 64], 2).eval() for _ in range(MEMBERS)], torch.randn(1024, 8)


def images() -> tuple[endd.Student, list[nn.Module], Tensor]:
    family = endd.families.Categorical(10)
    student = endd.Student(ResNet(20, endd.num_outputs(family)), family)
    return student.eval(), [ResNet(20, 10).eval() for _ in range(MEMBERS)], torch.randn(64, 3, 32, 32)


def session(path: Path) -> Callable[[Any], Any]:
    """A call of an ONNX file."""
    options = onnxruntime.SessionOptions()
    # threads that wait for work by spinning would slow down whoever comes next
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    opened = onnxruntime.InferenceSession(path, options)
    return lambda x: opened.run(None, {"x": x})


def parts(model: Model, x: Tensor) -> None:
    """The prediction and its split, without the interval."""
    prediction = model.predict(x)
    _ = prediction.probs if model.family.shift_invariant else prediction.mean
    for part in PARTS:
        getattr(prediction, part)


def contestants(folder: Path, student: endd.Student, nets: list[nn.Module], x: Tensor) -> dict[str, Work]:
    """Everything that is timed, by name, for one batch x; files are written once for all batches."""
    array, answer = x.numpy(), Answer(student)
    split, exported = session(folder / "student.onnx"), session(folder / "all.onnx")
    members = [session(folder / f"member{place}.onnx") for place in range(MEMBERS)]
    loop, stacked = (session(folder / f"{stacking}.onnx") for stacking in STACKING)
    in_loop, in_stack = (ensemble_of(student, nets, stacking) for stacking in STACKING)
    return {
        "python: student": partial(parts, student, x),
        "python: student with all outputs": lambda: answer(x),
        "python: bare loop over members": lambda: [net(x) for net in nets],
        "python: ensemble in a loop": partial(parts, in_loop, x),
        "python: stacked ensemble": partial(parts, in_stack, x),
        "onnxruntime: student": lambda: split(array),
        "onnxruntime: student with all outputs": lambda: exported(array),
        "onnxruntime: bare loop over members": lambda: [member(array) for member in members],
        "onnxruntime: ensemble in a loop": lambda: loop(array),
        "onnxruntime: stacked ensemble": lambda: stacked(array),
    }


def ensemble_of(student: endd.Student, nets: list[nn.Module], stacking: str) -> endd.Ensemble:
    return endd.Ensemble(nets, student.family, stacking=stacking).eval()


def prepare(folder: Path, student: endd.Student, nets: list[nn.Module], x: Tensor) -> None:
    """The student, every bare member and the whole ensemble as ONNX files."""
    endd.export_onnx(student, folder / "student.onnx", interval=False)
    endd.export_onnx(student, folder / "all.onnx")
    for stacking in STACKING:
        endd.export_onnx(ensemble_of(student, nets, stacking), folder / f"{stacking}.onnx", interval=False)
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
    for where in ("python", "onnxruntime"):
        for rival in ("ensemble in a loop", "bare loop over members", "stacked ensemble"):
            found[f"{where}: {rival} / student"] = ratio(times, f"{where}: {rival}", f"{where}: student")
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
                # a turn lasts some milliseconds at least
                repeat = {1: 50, 64: 10, 1024: 2}[batch] if make is tabular else {1: 3, 64: 1}[batch]
                times = take_turns(contestants(Path(name), student, nets, x[:batch]), ROUNDS, repeat, settle=1)
                rows.append(compare(network, batch, times))
    write("export", rows)
