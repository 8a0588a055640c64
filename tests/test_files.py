"""Files are whole or not there; what is wrong with a disk is one line."""

import errno
import os
from pathlib import Path

import pytest

from endd._files import StorageError, check_can_write, make_folder, new_file, replace_file, storing


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    replace_file(tmp_path / "file", b"one")
    replace_file(tmp_path / "file", b"two")
    assert (tmp_path / "file").read_bytes() == b"two"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    replace_file(tmp_path / "file", b"old")
    with pytest.raises(TypeError), new_file(tmp_path / "file") as stream:
        stream.writelines([b"half", "text"])  # type: ignore[list-item]
    assert (tmp_path / "file").read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "its disk is full. Free some space"),
        (errno.EROFS, "it is read-only"),
        (errno.ESTALE, "no longer there"),
    ],
)
def test_troubles_of_a_disk_are_one_line(number: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=words) as caught, storing(tmp_path / "file"):
        raise OSError(number, os.strerror(number))
    assert caught.value.errno == number
    assert "\n" not in str(caught.value)


def test_a_disk_that_is_full_while_writing_is_named_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_file(tmp_path / "file", b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="disk is full"):
        replace_file(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="its folder is gone"):
        replace_file(tmp_path / "gone" / "file", b"new")


def test_folders_are_made(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_file_in_the_way_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", tmp_path / "file" / "deep" / "down"):
        with pytest.raises(StorageError, match="a file is in the way"):
            make_folder(place)
        with pytest.raises(NotADirectoryError, match=r"file is a file\. Choose another --out"):
            check_can_write(place, "--out")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_that_may_not_be_written_to_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_can_write(tmp_path / "new" / "folder", "--out")
    assert [*tmp_path.iterdir()] == []
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match=r"not allowed\. Choose another --teacher"):
        check_can_write(tmp_path, "--teacher")


def test_other_errors_stay_as_they_are() -> None:
    with pytest.raises(OSError, match="Broken pipe") as caught, storing(Path("file")):
        raise OSError(errno.EPIPE, "Broken pipe")
    assert not isinstance(caught.value, StorageError)
