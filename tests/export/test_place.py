"""A file appears whole or not at all."""

import os
from pathlib import Path

import pytest

from endd.export.place import in_place


def test_a_file_appears_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_text("old")
    with in_place(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["model.onnx"]


def test_nothing_is_left_after_an_error(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    with pytest.raises(ZeroDivisionError), in_place(str(path)) as temporary:
        temporary.write_text(str(1 / 0))
    assert os.listdir(tmp_path) == []


def test_places_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(FileNotFoundError, match=r"Expected the folder of .*model\.onnx to be there"),
        in_place(tmp_path / "none" / "model.onnx"),
    ):
        pass
    with pytest.raises(IsADirectoryError, match="is a folder"), in_place(tmp_path):
        pass

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "touch", refuse)
    with pytest.raises(PermissionError, match=r"but .*model\.onnx cannot be: Permission denied"):
        in_place(tmp_path / "model.onnx").__enter__()
