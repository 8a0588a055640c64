"""House numbers from either file, checked."""

from pathlib import Path

import numpy as np
import pytest
from scipy import io

from endd.data import load_svhn
from endd.data import svhn as room
from endd.data.fetching import fingerprint

X = np.random.default_rng(0).integers(0, 256, (3, 32, 32, 3), np.uint8)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "svhn").mkdir()
    monkeypatch.setattr(room, "COUNT", 2)
    monkeypatch.setattr(room, "FINGERPRINT", fingerprint(X[:2]))
    return tmp_path


def test_the_small_file_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez(folder / "svhn" / "train_first_1083.npz", x=X[:2])
    assert np.array_equal(load_svhn(folder), X[:2])
    monkeypatch.setenv("ENDD_DATA", str(folder))
    assert np.array_equal(load_svhn(), X[:2])


def test_the_same_images_are_taken_from_the_original_file(folder: Path) -> None:
    io.savemat(folder / "svhn" / "train_32x32.mat", {"X": X.transpose(1, 2, 3, 0), "y": np.ones((3, 1))})
    assert np.array_equal(load_svhn(folder), X[:2])


def test_other_images_are_refused(folder: Path) -> None:
    np.savez(folder / "svhn" / "train_first_1083.npz", x=X[1:])
    with pytest.raises(ValueError, match=r"train_first_1083\.npz holds others"):
        load_svhn(folder)


@pytest.mark.parametrize("name", ["train_first_1083.npz", "train_32x32.mat"])
def test_a_broken_file_is_named(folder: Path, name: str) -> None:
    (folder / "svhn" / name).write_text("nothing")
    with pytest.raises(ValueError, match=f"Expected images of SVHN in .*{name}"):
        load_svhn(folder)


def test_nothing_there_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENDD_DATA", raising=False)
    for data in (tmp_path, None):
        with pytest.raises(FileNotFoundError, match="Point --data or ENDD_DATA at a folder that holds svhn"):
            load_svhn(data)
