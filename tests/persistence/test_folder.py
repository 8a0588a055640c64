"""Folders are whole, replaced at once, and checked when they are read."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import torch

import endd
from endd.persistence import ModelFolderError
from endd.persistence.folder import DESCRIPTION, VERSION, fingerprint, read_folder, replace_file, write_folder

TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.tensor([True, False])}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_folder(tmp_path / "model", {"kind": "Student", "odd text": "[ a ]\n", "list": [1, 2.5]}, TENSORS)
    return tmp_path / "model"


def weights_of(folder: Path) -> Path:
    (file,) = folder.glob("weights-*.safetensors")
    return file


def rewrite(folder: Path, **changes: Any) -> None:
    """Change the JSON as somebody would who knows how it is checked."""
    described = json.loads((folder / DESCRIPTION).read_text())
    del described["sha256"]
    described |= changes
    (folder / DESCRIPTION).write_text(json.dumps(described | {"sha256": fingerprint(described)}))


def test_what_is_written_is_read(folder: Path) -> None:
    described, tensors = read_folder(folder)
    assert (described["kind"], described["odd text"], described["list"]) == ("Student", "[ a ]\n", [1, 2.5])
    assert described["versions"] == {"endd": endd.__version__, "torch": str(torch.__version__)}
    assert all(torch.equal(tensors[name], tensor) for name, tensor in TENSORS.items())
    assert '"list": [1, 2.5]' in (folder / DESCRIPTION).read_text()
    assert len([*folder.iterdir()]) == 2


def test_a_tensor_may_be_used_twice(tmp_path: Path) -> None:
    tied = torch.ones(3)
    write_folder(tmp_path, {}, {"a": tied, "b": tied})
    assert read_folder(tmp_path)[1].keys() == {"a", "b"}


def test_another_model_takes_the_place_of_the_first(folder: Path) -> None:
    before = weights_of(folder).name
    write_folder(folder, {"kind": "Ensemble"}, {"a": torch.zeros(2)})
    assert weights_of(folder).name != before
    assert read_folder(folder)[0]["kind"] == "Ensemble"


def test_a_crash_leaves_the_old_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The JSON that names the weights is put in place last."""
    replace = os.replace

    def crash(source: Path, target: Path) -> None:
        if target.name == DESCRIPTION:
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        write_folder(folder, {"kind": "Ensemble"}, {"a": torch.zeros(2)})
    described, tensors = read_folder(folder)
    assert described["kind"] == "Student"
    assert torch.equal(tensors["a"], TENSORS["a"])
    assert not [file for file in folder.iterdir() if file.name.startswith(".")]


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    replace_file(tmp_path / "file", b"one")
    replace_file(tmp_path / "file", b"two")
    assert (tmp_path / "file").read_bytes() == b"two"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_newer_format_is_refused_in_one_line(folder: Path) -> None:
    rewrite(folder, version=VERSION + 1)
    with pytest.raises(ModelFolderError, match=rf"version {VERSION} or older .* but got version 3\. Update endd\.$"):
        read_folder(folder)


def test_what_is_no_model_folder_is_named(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"holds no model\.json"):
        read_folder(tmp_path / "nowhere")
    for text in ("", "[1]", '{"format": "other"}', "\xff", "[" * 100_000):
        (folder / DESCRIPTION).write_text(text, encoding="latin-1")
        with pytest.raises(ModelFolderError, match="to describe an endd model, but it does not"):
            read_folder(folder)


@pytest.mark.parametrize("name", ["../weights.safetensors", "/etc/passwd", "weights-abc.safetensors", None, 3])
def test_no_path_leads_out_of_the_folder(folder: Path, name: Any) -> None:
    rewrite(folder, weights=name)
    with pytest.raises(ModelFolderError, match="but it was changed"):
        read_folder(folder)


def test_changed_files_are_refused(folder: Path) -> None:
    file = weights_of(folder)
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(ModelFolderError, match="as it was saved, but it was changed"):
        read_folder(folder)
    text = (folder / DESCRIPTION).read_text()
    (folder / DESCRIPTION).write_text(text.replace("2.5", "3.5"))
    with pytest.raises(ModelFolderError, match="as it was saved, but it was changed"):
        read_folder(folder)
    file.unlink()
    (folder / DESCRIPTION).write_text(text)
    with pytest.raises(
        FileNotFoundError, match=r"safetensors, which model\.json names, but it is not there\. Bring it"
    ):
        read_folder(folder)


@pytest.mark.parametrize("content", [b"", b"\xff" * 8 + b"{}", b"\x80\x04\x95pickle", b"\x02\0\0\0\0\0\0\0[]"])
def test_a_file_of_something_else_is_refused(folder: Path, content: bytes) -> None:
    import hashlib

    name = f"weights-{hashlib.sha256(content).hexdigest()}.safetensors"
    (folder / name).write_bytes(content)
    rewrite(folder, weights=name)
    with pytest.raises(ModelFolderError, match="Expected tensors in"):
        read_folder(folder)
