"""Model folders under attack: each gives endd's own error or the very same predictions; nothing of them is executed.

The forger knows how folders are checked and puts right hashes on wrong contents, so that what lies behind the hashes is
tried too.
"""

import contextlib
import hashlib
import json
import pickle
import random
import struct
from pathlib import Path
from typing import Any

import pytest
import torch

import endd
from endd.calibration import VarianceScaling
from endd.families import Gaussian
from endd.nn import MLP
from endd.persistence import ModelFolderError
from endd.persistence.folder import DESCRIPTION
from tests.persistence.test_folder import rewrite, weights_of

X = torch.linspace(-2, 2, 15).reshape(5, 3)
OFFSETS, FLIPS = 200, 1000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    student = endd.Student(MLP(3, [4], 5), Gaussian().in_units(10.0, 2.0)).eval()
    endd.save(student.attach(VarianceScaling(1.5)).attach(endd.Rejector(3.0)), tmp_path / "model")
    return tmp_path / "model"


def answers(folder: Path) -> list[torch.Tensor]:
    prediction = endd.load(folder).predict(X)
    return [prediction.mean, prediction.total, prediction.epistemic]


def check_refused_or_same(folder: Path, expected: list[torch.Tensor]) -> bool:
    """Whether it was refused, in one line of endd's own."""
    try:
        found = answers(folder)
    except (ModelFolderError, FileNotFoundError):
        return True
    assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))
    return False


def forge_weights(folder: Path, content: bytes) -> None:
    """Put other bytes in the place of the weights, with their right hash."""
    name = f"weights-{hashlib.sha256(content).hexdigest()}.safetensors"
    weights_of(folder).unlink()
    (folder / name).write_bytes(content)
    rewrite(folder, weights=name)


@pytest.mark.parametrize("which", [DESCRIPTION, "weights"])
def test_truncated_anywhere(folder: Path, which: str) -> None:
    expected = answers(folder)
    file = folder / DESCRIPTION if which == DESCRIPTION else weights_of(folder)
    content = file.read_bytes()
    for number in range(OFFSETS):
        file.write_bytes(content[: number * len(content) // OFFSETS])
        assert check_refused_or_same(folder, expected)


@pytest.mark.parametrize("which", [DESCRIPTION, "weights"])
def test_flipped_bytes(folder: Path, which: str) -> None:
    expected, chosen = answers(folder), random.Random(0)
    file = folder / DESCRIPTION if which == DESCRIPTION else weights_of(folder)
    content = file.read_bytes()
    refused = 0
    for _ in range(FLIPS):
        changed = bytearray(content)
        changed[chosen.randrange(len(changed))] ^= chosen.randrange(1, 256)
        file.write_bytes(changed)
        refused += check_refused_or_same(folder, expected)
    assert refused > 0.9 * FLIPS  # a space more or less between the words of a JSON changes nothing


def test_flipped_bytes_of_a_header_with_the_right_hash(folder: Path) -> None:
    """Damage that no hash tells: the header of the tensors, byte by byte. Numbers may differ, but nothing breaks."""
    content, chosen = weights_of(folder).read_bytes(), random.Random(1)
    header = 8 + struct.unpack("<Q", content[:8])[0]
    for _ in range(200):
        changed = bytearray(content)
        changed[chosen.randrange(header)] ^= chosen.randrange(1, 256)
        forge_weights(folder, bytes(changed))
        with contextlib.suppress(ModelFolderError):
            answers(folder)


@pytest.mark.parametrize("size", [2**63, 2**62, 10**9, 100_000_000])
def test_oversized_headers(folder: Path, size: int) -> None:
    content = weights_of(folder).read_bytes()
    forge_weights(folder, struct.pack("<Q", size) + content[8:])
    with pytest.raises(ModelFolderError, match="Expected tensors in"):
        endd.load(folder)


def test_tensors_that_claim_more_than_there_is(folder: Path) -> None:
    entry = {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}
    header = json.dumps({"net.layers.0.weight": entry}).encode()
    forge_weights(folder, struct.pack("<Q", len(header)) + header + b"\0" * 64)
    with pytest.raises(ModelFolderError, match="Expected tensors in"):
        endd.load(folder)


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "weights-../../x.safetensors", "..", ".", "a\0b", ""])
def test_names_that_lead_out_of_the_folder(folder: Path, name: str) -> None:
    (folder.parent / "outside").write_bytes(weights_of(folder).read_bytes())
    rewrite(folder, weights=name)
    with pytest.raises(ModelFolderError, match="but it was changed"):
        endd.load(folder)


class Loud:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> Any:
        return Path.touch, (self.place,)


def test_a_pickle_in_disguise_is_not_executed(folder: Path, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    plain = pickle.dumps(Loud(trap))
    torch.save({"net.layers.0.weight": Loud(trap)}, tmp_path / "saved.pt")
    header = struct.pack("<Q", len(plain)) + plain
    for content in (plain, header, (tmp_path / "saved.pt").read_bytes()):
        forge_weights(folder, content)
        with pytest.raises(ModelFolderError):
            endd.load(folder)
    (folder / DESCRIPTION).write_bytes(plain)
    with pytest.raises(ModelFolderError):
        endd.load(folder)
    assert not trap.exists()
    pickle.loads(plain)  # the trap itself works
    assert trap.exists()


@pytest.mark.parametrize("change", ["wider", "transposed", "missing", "more", "whole numbers"])
def test_wrong_tensors(folder: Path, change: str) -> None:
    from safetensors.torch import load, save

    tensors = load(weights_of(folder).read_bytes())
    name = "net.layers.0.weight"
    if change == "missing":
        del tensors[name]
    elif change == "more":
        tensors["net.layers.9.weight"] = torch.zeros(2)
    else:
        kinds = {"wider": torch.zeros(40, 3), "transposed": tensors[name].T.contiguous()}
        tensors[name] = kinds.get(change, torch.zeros(4, 3, dtype=torch.int64))
    forge_weights(folder, save(tensors))
    with pytest.raises(ValueError, match="Expected"):
        answers(folder)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
def test_a_forged_number_of_what_is_attached(folder: Path, value: float) -> None:
    from safetensors.torch import load, save

    tensors = load(weights_of(folder).read_bytes())
    tensors["attached.variance.value"] = torch.tensor(value, dtype=torch.float64)
    forge_weights(folder, save(tensors))
    with pytest.raises(ModelFolderError, match="Expected a VarianceScaling as it was saved"):
        endd.load(folder)
