"""Every form of CIFAR-10 gives the same arrays, and a broken one is named."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from endd.data.cifar10_forms import ARCHIVE, FOLDER, find_form, read_archive, read_batches, read_sheets
from tests.data.small_cifar10 import expect_small, write_archive, write_batches, write_sheets

FORMS = {
    "cifar10": write_sheets,
    f"cifar10/{FOLDER}": write_batches,
    FOLDER: write_batches,
    f"cifar10/{ARCHIVE}": write_archive,
    ARCHIVE: write_archive,
    ".": write_sheets,
}


@pytest.mark.parametrize("place", FORMS)
def test_every_form_gives_the_same_arrays(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = expect_small(monkeypatch)
    FORMS[place](tmp_path / place)
    read = find_form(tmp_path)
    assert read is not None
    for found, array in zip(read(), expected, strict=True):
        assert found.dtype == np.uint8
        assert found.flags.c_contiguous
        assert np.array_equal(found, array)


def test_an_empty_folder_has_no_form(tmp_path: Path) -> None:
    assert find_form(tmp_path) is None


@pytest.mark.parametrize("write", [write_batches, write_archive])
def test_other_batches_are_refused(write: Callable[[Path], None], tmp_path: Path) -> None:
    write(tmp_path / "batches")
    with pytest.raises(ValueError, match="Expected the known contents of data_batch_1"):
        (read_batches if write is write_batches else read_archive)(tmp_path / "batches")


def test_missing_and_broken_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expect_small(monkeypatch)
    write_batches(tmp_path)
    (tmp_path / "data_batch_3").unlink()
    with pytest.raises(FileNotFoundError, match="data_batch_3"):
        read_batches(tmp_path)
    write_sheets(tmp_path)
    (tmp_path / "data_batch_2.webp").write_text("no picture")
    with pytest.raises(ValueError, match=r"Expected sheets of CIFAR-10.*data_batch_2\.webp"):
        read_sheets(tmp_path)
    write_archive(tmp_path / ARCHIVE)
    whole = (tmp_path / ARCHIVE).read_bytes()
    for broken in (whole[:2000], whole[:60] + b"\xff" * 40 + whole[100:]):
        (tmp_path / ARCHIVE).write_bytes(broken)
        with pytest.raises(ValueError, match="Expected the archive of CIFAR-10"):
            read_archive(tmp_path / ARCHIVE)
