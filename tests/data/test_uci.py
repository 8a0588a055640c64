"""UCI sets from a folder, and how they are split."""

from pathlib import Path

import numpy as np
import pytest

from endd.data import Table, load_uci, uci_splits
from endd.data import uci as room

ROWS = 60


def write_set(folder: Path, name: str = "yacht", **changed: object) -> Table:
    """A small set in the form of the real ones."""
    random = np.random.default_rng(0)
    orders = np.stack([random.permutation(ROWS) for _ in range(20)])
    x = random.normal(size=(ROWS, 3))
    table = Table(x, x.sum(1), orders[:, 6:], orders[:, :6])
    arrays = {"X": table.x, "y": table.y, "train_idx": table.train, "test_idx": table.test} | changed
    (folder / "uci").mkdir(exist_ok=True)
    np.savez(folder / "uci" / f"{name}.npz", **{key: value for key, value in arrays.items() if value is not None})
    return table


def test_a_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = write_set(tmp_path, train_idx=write_set(tmp_path).train.astype(np.uint16))
    found = load_uci("yacht", tmp_path)
    assert all(np.array_equal(a, b) for a, b in zip(found, written, strict=True))
    assert [array.dtype for array in found] == [np.float64, np.float64, np.int64, np.int64]
    monkeypatch.setenv("ENDD_DATA", str(tmp_path))
    assert np.array_equal(load_uci("yacht").x, written.x)


def test_the_argument_comes_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENDD_DATA", str(tmp_path / "nowhere"))
    write_set(tmp_path, "my-own")
    assert len(load_uci("my-own", tmp_path).y) == ROWS


def test_without_a_folder_it_is_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.delenv("ENDD_DATA", raising=False)
    monkeypatch.setattr(room, "download", lambda name: asked.append(name) or [np.zeros(1)] * 4)
    load_uci("yacht")
    assert asked == ["yacht"]


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"uci/kin8nm\.npz.*Point --data or ENDD_DATA at a folder"):
        load_uci("kin8nm", tmp_path)


@pytest.mark.parametrize(
    "changed", [{"X": None}, {"X": np.zeros(ROWS)}, {"y": np.full(ROWS, np.nan)}, {"X": np.array([["a"]])}]
)
def test_a_wrong_file_is_named(tmp_path: Path, changed: dict[str, object]) -> None:
    write_set(tmp_path, **changed)
    with pytest.raises(ValueError, match=r"Expected .*yacht\.npz"):
        load_uci("yacht", tmp_path)


def test_no_archive_is_named(tmp_path: Path) -> None:
    write_set(tmp_path)
    (tmp_path / "uci" / "yacht.npz").write_text("no archive")
    with pytest.raises(ValueError, match=r"yacht\.npz is not one"):
        load_uci("yacht", tmp_path)


def test_folds_hold_every_row_once(tmp_path: Path) -> None:
    table = write_set(tmp_path)
    splits = uci_splits(table, "kfold5", seed=3)
    assert [split.name for split in splits] == [f"fold{k}" for k in range(5)]
    assert {len(split.test.y) for split in splits} == {12}
    assert sorted(np.concatenate([split.test.y for split in splits])) == sorted(table.y.astype(np.float32))
    assert not np.array_equal(splits[0].test.y, table.y[:12].astype(np.float32))
    again, other = (uci_splits(table, "kfold5", seed) for seed in (3, 4))
    assert np.array_equal(again[0].test.y, splits[0].test.y)
    assert not np.array_equal(other[0].test.y, splits[0].test.y)


def test_published_splits_are_those_of_the_file(tmp_path: Path) -> None:
    table = write_set(tmp_path)
    splits = uci_splits(table, "published20")
    assert [split.name for split in splits] == [f"split{k}" for k in range(20)]
    for k, split in enumerate(splits):
        assert np.array_equal(split.test.y, table.y[table.test[k]].astype(np.float32))
        assert split.shift == pytest.approx(table.y[table.train[k]].mean())


def test_what_cannot_be_split_is_named(tmp_path: Path) -> None:
    write_set(tmp_path, train_idx=None, test_idx=None)
    table = load_uci("yacht", tmp_path)
    with pytest.raises(ValueError, match="has none"):
        uci_splits(table, "published20")
    with pytest.raises(ValueError, match="'kfold5', 'published20'"):
        uci_splits(table, "kfold10")
    with pytest.raises(ValueError, match="at least 5 rows"):
        uci_splits(table._replace(y=table.y[:4]), "kfold5")
