"""What the models of a repeat say about every test set, in half precision: all that an evaluation needs."""

import json
import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.distributions import Distribution

from endd._damage import reading
from endd.distributions import Members
from endd.models import Model
from endd.models.inputs import rows_at_once
from endd.nn.folding import folded
from endd.nn.grouped import fused
from endd.studies.cifar10_methods import Kind

Halves = NDArray[np.float16]
# Images asked at once on a GPU: parts of one size, for each of which kernels are compiled.
ROWS_ON_GPU = 5000
#: The name of a second ensemble, with which the teacher is compared.
ENSEMBLE, REFERENCE = "ensemble", "reference"


@dataclass
class Outputs:
    """Raw outputs of a repeat's models: `raw[model][set]`, (N, M, K) for ensembles and (N, R) for students.

    y: the classes of the test images, the same for clean and corrupted ones. temperatures: of the members, from the
    validation images. facts: numbers of a model by name (train_seconds, parameters). validation: scores there.
    """

    seed: int
    y: NDArray[np.int64]
    temperatures: NDArray[np.float64]
    raw: dict[str, dict[str, Halves]] = field(default_factory=dict)
    facts: dict[str, dict[str, float]] = field(default_factory=dict)
    validation: dict[str, dict[str, float]] = field(default_factory=dict)

    def sets(self) -> list[str]:
        """Names of the sets."""
        return list(self.raw[ENSEMBLE])

    def part(self, rows: int) -> "Outputs":
        """Those of the first images of every set."""
        raw = {model: {name: each[:rows] for name, each in found.items()} for model, found in self.raw.items()}
        return Outputs(self.seed, self.y[:rows], self.temperatures, raw, self.facts, self.validation)

    def joined(self, more: "Outputs") -> "Outputs":
        """These and those of other models of the same repeat; what is known of a model that both have stays."""
        facts, validation = more.facts | self.facts, more.validation | self.validation
        return Outputs(self.seed, self.y, self.temperatures, self.raw | more.raw, facts, validation)


@torch.no_grad()
def raw_outputs(model: Model, x: Tensor, precision: str = "32-true") -> Halves:
    """The numbers that a model's distributions over z are made of, rows first; half precision on a GPU throughout.

    precision: of networks that are asked on a CPU, as of those that learn there ("bf16-mixed" is the other one).
    """
    if not x.is_cuda:
        model = folded(model)
    rows = ROWS_ON_GPU if x.is_cuda else rows_at_once(x, model)
    with _half(x.device, precision), fused():
        parts = [model._inference(part)[1].half().cpu() for part in x.split(rows)]
    return torch.cat(parts).numpy()


def _half(device: torch.device, precision: str) -> AbstractContextManager[Any]:
    if device.type == "cuda":
        return torch.autocast("cuda", torch.float16)
    return torch.autocast("cpu", torch.bfloat16) if precision == "bf16-mixed" else nullcontext()


def said(model: str, raw: Tensor, methods: dict[str, Kind]) -> Distribution:
    """The distribution over z that a model's raw outputs stand for."""
    return methods[model].form.from_raw(raw) if model in methods else Members(raw.movedim(-2, 0))


def save_outputs(file: Path, config: dict[str, Any], repeats: list[Outputs]) -> None:
    """One compressed file that holds outputs and what they belong to: an array a model, its sets one after another."""
    arrays: dict[str, NDArray[Any]] = {}
    heads = []
    for repeat in repeats:
        arrays |= {f"{repeat.seed}/{model}": np.concatenate([*sets.values()]) for model, sets in repeat.raw.items()}
        arrays |= {f"{repeat.seed}/y": repeat.y, f"{repeat.seed}/temperatures": repeat.temperatures}
        rows = {model: {name: len(raw) for name, raw in sets.items()} for model, sets in repeat.raw.items()}
        heads.append({"seed": repeat.seed, "rows": rows, "facts": repeat.facts, "validation": repeat.validation})
    head = np.frombuffer(json.dumps({"config": config, "repeats": heads}).encode(), np.uint8)
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}")
    np.savez_compressed(temporary, head=head, allow_pickle=False, **arrays)
    os.replace(temporary, file)  # whole or not at all


def load_outputs(file: Path) -> tuple[dict[str, Any], list[Outputs]]:
    """The settings and the repeats of such a file."""
    with reading(file, "outputs of a CIFAR-10 study", "Take another file, or move it away."):
        with np.load(file, allow_pickle=False) as found:
            head = json.loads(bytes(found["head"]))
            arrays = {name: found[name] for name in found.files}
        return head["config"], [_repeat(one, arrays) for one in head["repeats"]]


def _repeat(head: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Outputs:
    seed = head["seed"]
    raw = {model: _sets(arrays[f"{seed}/{model}"], rows) for model, rows in head["rows"].items()}
    y, temperatures = arrays[f"{seed}/y"], arrays[f"{seed}/temperatures"]
    return Outputs(seed, y, temperatures, raw, head["facts"], head["validation"])


def _sets(raw: Halves, rows: dict[str, int]) -> dict[str, Halves]:
    ends = np.cumsum([*rows.values()])
    if len(raw) != ends[-1]:
        raise ValueError(f"{len(raw)} rows where {ends[-1]} are named")
    return dict(zip(rows, np.split(raw, ends[:-1]), strict=True))
