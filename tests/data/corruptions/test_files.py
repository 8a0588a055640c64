"""Corrupted images are made once and kept, or taken from the released files."""

from pathlib import Path

import numpy as np
import pytest

from endd.data import load_frost
from endd.data.corruptions import corrupt, corrupted, not_there
from tests.data.test_frost import write_frost

X = np.random.default_rng(0).integers(0, 256, (3, 32, 32, 3), np.uint8)


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENDD_DATA", raising=False)


def test_images_are_made_once(tmp_path: Path) -> None:
    first = corrupted("fog", 2, X, tmp_path / "cache")
    assert np.array_equal(first, corrupt(X, "fog", 2))
    (file,) = (tmp_path / "cache").iterdir()
    np.save(file, X)
    assert np.array_equal(corrupted("fog", 2, X, tmp_path / "cache"), X)


def test_other_images_severities_and_seeds_are_other_files(tmp_path: Path) -> None:
    corrupted("shot_noise", 1, X, tmp_path)
    corrupted("shot_noise", 2, X, tmp_path)
    corrupted("shot_noise", 1, X, tmp_path, seed=1)
    corrupted("shot_noise", 1, X[:2], tmp_path)
    assert len(list(tmp_path.iterdir())) == 4


def test_what_would_have_to_be_made_is_known(tmp_path: Path) -> None:
    corrupted("contrast", 1, X, tmp_path)
    assert not_there([("contrast", 1), ("contrast", 2), ("fog", 1)], X, tmp_path) == [("contrast", 2), ("fog", 1)]
    assert not_there([("contrast", 1)], X[:2], tmp_path) == [("contrast", 1)]


def test_nothing_is_left_of_a_run_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: Path, images: np.ndarray) -> None:
        file.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "save", fail)
    with pytest.raises(KeyboardInterrupt):
        corrupted("contrast", 1, X, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "file"), [("elastic", "elastic_transform"), ("fog", "fog")])
def test_released_files_come_first(name: str, file: str, tmp_path: Path) -> None:
    released = np.random.default_rng(1).integers(0, 256, (15, 32, 32, 3), np.uint8)
    (tmp_path / "CIFAR-10-C").mkdir()
    np.save(tmp_path / "CIFAR-10-C" / f"{file}.npy", released)
    assert np.array_equal(corrupted(name, 2, X, tmp_path / "cache", tmp_path), released[3:6])
    assert not (tmp_path / "cache").exists()
    assert not_there([(name, 2)], X, tmp_path / "cache", tmp_path) == []
    # they are of other images than these two
    assert np.array_equal(corrupted(name, 2, X[:2], tmp_path / "cache", tmp_path), corrupt(X[:2], name, 2))


def test_frost_takes_its_pictures_from_the_data(tmp_path: Path) -> None:
    write_frost(tmp_path)
    expected = corrupt(X, "frost", 3, frost=load_frost(tmp_path))
    assert np.array_equal(corrupted("frost", 3, X, tmp_path / "cache", tmp_path), expected)
    with pytest.raises(FileNotFoundError, match="Expected pictures of frost"):
        corrupted("frost", 3, X, tmp_path / "other")


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'rain'"):
        corrupted("rain", 1, X, tmp_path)
    with pytest.raises(ValueError, match="`severity` from 1 to 5, but got 6"):
        corrupted("fog", 6, X, tmp_path)
    corrupted("fog", 1, X, tmp_path)
    (file,) = tmp_path.iterdir()
    np.save(file, X.astype(np.float32))
    with pytest.raises(ValueError, match=r"Expected images .*Delete it"):
        corrupted("fog", 1, X, tmp_path)
    file.write_text("nothing")
    with pytest.raises(ValueError, match=r"cannot be read.*Delete it"):
        corrupted("fog", 1, X, tmp_path)
