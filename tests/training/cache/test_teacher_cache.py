"""A cache is checked before it is used."""

import json
from pathlib import Path

import pytest
import torch

from endd.training import TeacherCache
from endd.training.cache import CacheError
from endd.training.cache.rows import TableRows
from tests.training.cache.caching import X, label


def test_a_folder_without_a_cache_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="Expected a teacher cache"):
        TeacherCache(tmp_path)


@pytest.mark.parametrize("harm", ["flip", "cut", "gone"])
def test_a_damaged_shard_is_never_used(tmp_path: Path, harm: str) -> None:
    cache = label(tmp_path)
    file = tmp_path / "shard-000002.npy"
    content = bytearray(file.read_bytes())
    content[200] ^= 1
    file.unlink() if harm == "gone" else file.write_bytes(content if harm == "flip" else content[:-1])
    cache.shard(1)
    with pytest.raises(CacheError, match=r"shard-000002\.npy"):
        cache.shard(2)


@pytest.mark.parametrize(
    "changed",
    [{"format": "x"}, {"version": 99}, {"members": "3"}, {"shards": []}, {"dtype": "object"}, {"unknown": 1}],
    ids=str,
)
def test_a_garbled_manifest_is_refused(tmp_path: Path, changed: dict[str, object]) -> None:
    label(tmp_path)
    file = tmp_path / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changed))
    with pytest.raises(CacheError, match=r"manifest\.json"):
        TeacherCache(tmp_path)


def test_other_inputs_are_refused(tmp_path: Path) -> None:
    cache, other = label(tmp_path), X.clone()
    other[20, 0] += 1e-6
    assert torch.equal(cache.inputs_of(1, TableRows(other)), X[8:16])
    with pytest.raises(CacheError, match="rows 16 to 23 are others"):
        cache.inputs_of(2, TableRows(other))


def test_some_members_are_read(tmp_path: Path) -> None:
    cache = label(tmp_path)
    assert torch.equal(cache.shard(1, torch.tensor([2, 0])), cache.shard(1)[[2, 0]])


def test_too_many_members_a_batch_are_refused(tmp_path: Path) -> None:
    label(tmp_path)
    with pytest.raises(ValueError, match="from 1 to 3 members"):
        TeacherCache(tmp_path, members=4)


def test_kept_inputs_come_back_across_shards(tmp_path: Path) -> None:
    cache = label(tmp_path / "pair", inputs={"x": X}, keep_inputs=True)
    assert torch.equal(cache.inputs.read(3, 30)["x"], X[3:30])
    assert torch.equal(cache.inputs.read(40, 99)["x"], X[40:])


def test_its_repr_is_short(tmp_path: Path) -> None:
    assert "rows=50" in repr(label(tmp_path))
