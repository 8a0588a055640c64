"""Files that cannot be read any more are named."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from endd._damage import DamagedFileError, reading


def _arrays(file: Path) -> None:
    with np.load(file, allow_pickle=False) as found:
        _ = {name: found[name] for name in found.files}


READERS: dict[str, Any] = {
    "json": lambda file: json.loads(file.read_text())["x"],
    "npz": _arrays,
    "safetensors": load_file,
    "pt": lambda file: torch.load(file, weights_only=True),
}


def whole(folder: Path, kind: str) -> Path:
    file = folder / f"file.{kind}"
    if kind == "json":
        file.write_text('{"x": [1, 2, 3]}')
    elif kind == "npz":
        np.savez_compressed(file, x=np.arange(999.0))
    elif kind == "safetensors":
        save_file({"x": torch.arange(99.0)}, file)
    else:
        torch.save({"x": torch.arange(99.0)}, file)
    return file


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("damage", ["cut", "empty", "garbage", "zeros", "gone", "folder"])
def test_all_damage_is_one_line_and_changes_nothing(kind: str, damage: str, tmp_path: Path) -> None:
    file = whole(tmp_path, kind)
    READERS[kind](file)
    content = file.read_bytes()
    damaged = {"cut": content[: len(content) // 2], "empty": b"", "garbage": b"\xffgarbage", "zeros": bytes(300)}
    file.unlink()
    if damage == "folder":
        file.mkdir()
    elif damage != "gone":
        file.write_bytes(damaged[damage])
    with pytest.raises(DamagedFileError) as raised, reading(file, "numbers", "Make it again."):
        READERS[kind](file)
    line = str(raised.value)
    assert line.startswith(f"Expected numbers in {file}, but it ")
    assert line.endswith("). Make it again.")
    assert "\n" not in line
    if damage in damaged:
        assert file.read_bytes() == damaged[damage]


@pytest.mark.parametrize("place", range(0, 700, 7))
def test_any_place_to_break_off_is_damage(place: int, tmp_path: Path) -> None:
    for kind in READERS:
        file = whole(tmp_path, kind)
        content = file.read_bytes()
        if place < len(content):
            file.write_bytes(content[:place])
            with pytest.raises(DamagedFileError), reading(file, "numbers", "Make it again."):
                READERS[kind](file)


def test_what_is_whole_is_read(tmp_path: Path) -> None:
    file = whole(tmp_path, "json")
    with reading(file, "numbers", "Make it again."):
        assert READERS["json"](file) == [1, 2, 3]


def test_a_file_that_may_be_whole_is_not_to_be_deleted(tmp_path: Path) -> None:
    with pytest.raises(DamagedFileError) as raised, reading(tmp_path / "x", "numbers", "Delete it."):
        raise OSError(24, "Too many open files")
    assert str(raised.value).endswith(
        "it cannot be read (Too many open files). It may be whole: see to that, and try again."
    )
