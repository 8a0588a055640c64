"""Labelling writes what the teacher says, goes on where it was stopped, and trusts nothing that it finds."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

import endd
from endd._files import StorageError
from endd.engines import Engine
from endd.families import Gaussian
from endd.training import OneByOne, TeacherCache, cache_teacher
from endd.training.cache import CacheError, labelling
from endd.training.teachers import ask
from tests.training.cache.caching import X, ensemble, files_of, label


def test_the_cache_says_what_the_teacher_says(tmp_path: Path) -> None:
    cache = label(tmp_path / "cache")
    assert torch.equal(cache.outputs(), torch.cat([ask(ensemble(), part) for part in X.split(8)], 1))
    assert (len(cache), len(cache.records), cache.atoms) == (50, 7, 3)


def test_the_manifest_names_shapes_type_family_and_hashes(tmp_path: Path) -> None:
    label(tmp_path)
    said = json.loads((tmp_path / "manifest.json").read_text())
    assert said["format"] == "endd teacher cache"
    assert (said["rows"], said["members"], said["parameters"], said["dtype"]) == (50, 3, 2, "float32")
    assert said["family"] == {"name": "Gaussian", "min_variance": 1e-6, "shift": 0.0, "scale": 1.0}
    assert len(said["teacher"]) == 64
    assert [(shard["start"], shard["stop"]) for shard in said["shards"]][-1] == (48, 50)
    assert (
        {len(shard["sha256"]) for shard in said["shards"]} == {len(shard["inputs"]) for shard in said["shards"]} == {64}
    )
    assert sorted(files_of(tmp_path)) == ["manifest.json", *(f"shard-00000{n}.npy" for n in range(7))]


def test_half_precision_takes_half_the_space(tmp_path: Path) -> None:
    whole, half = label(tmp_path / "whole"), label(tmp_path / "half", dtype="float16")
    torch.testing.assert_close(half.outputs(), whole.outputs(), rtol=1e-3, atol=1e-3)
    assert np.load(tmp_path / "half" / "shard-000000.npy").dtype == np.float16


def test_numbers_too_large_for_half_precision_are_named(tmp_path: Path) -> None:
    big = endd.Ensemble([torch.nn.Linear(2, 2)], Gaussian())
    torch.nn.init.constant_(big.members[0].bias, 1e6)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"float16 can hold for rows 0 to 7.*dtype='float32'"):
        label(tmp_path, big, dtype="float16")


def test_one_member_at_a_time_gives_the_same_files(tmp_path: Path) -> None:
    members = list(ensemble().members)
    loaded: list[int] = []

    def loader(number: int) -> Any:
        return lambda: loaded.append(number) or members[number]

    teacher = OneByOne([loader(number) for number in range(3)], Gaussian())
    label(tmp_path / "one", teacher)
    label(tmp_path / "all")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "all")
    assert loaded[-3:] == [0, 1, 2]


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("stop_at", [0, 1, 2, 3])
def test_a_stopped_labelling_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop_at: int) -> None:
    real, asked = labelling.outputs, []

    def stops(teacher: Any, rows: Any, start: int, stop: int, batch: int) -> Any:
        if (start, stop) != (0, 1):
            if len(asked) == stop_at:
                raise StoppedError
            asked.append(start)
        return real(teacher, rows, start, stop, batch)

    monkeypatch.setattr(labelling, "outputs", stops)
    with pytest.raises(StoppedError):
        label(tmp_path / "cache")
    with pytest.raises(CacheError, match="labelling was stopped"):
        TeacherCache(tmp_path / "cache")
    (tmp_path / "cache" / ".shard-000001.npy-01234567").write_bytes(b"half")
    asked_before = list(asked)
    stop_at = 100
    label(tmp_path / "cache")
    assert asked == [0, 8, 16, 24, 32, 40, 48]
    assert asked[: len(asked_before)] == asked_before
    monkeypatch.undo()
    label(tmp_path / "again")
    assert files_of(tmp_path / "cache") == files_of(tmp_path / "again")


def test_a_finished_cache_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    label(tmp_path)
    before = files_of(tmp_path)
    monkeypatch.setattr(labelling, "write_outputs", None)
    label(tmp_path)
    assert files_of(tmp_path) == before


def test_another_teacher_is_refused(tmp_path: Path) -> None:
    label(tmp_path)
    with pytest.raises(CacheError, match="labelled by another teacher"):
        label(tmp_path, ensemble(seed=2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inputs": X[:40]}, r"another number of inputs \(50, now 40\)"),
        ({"inputs": X.flip(0)}, "rows 0 to 7 are others now"),
        ({"inputs": torch.cat([X[:49], X[:1]])}, "rows 48 to 49 are others now"),
        ({"dtype": "float16"}, r"another dtype \(float32, now float16\)"),
        ({"shard_rows": 9}, r"another shard_rows \(8, now 9\)"),
    ],
)
def test_other_data_and_settings_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    label(tmp_path)
    before = files_of(tmp_path)
    with pytest.raises(CacheError, match=message):
        label(tmp_path, **options)
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("harm", ["flip", "cut", "gone"])
def test_a_damaged_shard_is_named_and_made_again(tmp_path: Path, harm: str) -> None:
    label(tmp_path)
    before = files_of(tmp_path)
    file = tmp_path / "shard-000003.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.unlink() if harm == "gone" else file.write_bytes(content if harm == "flip" else content[:50])
    with pytest.warns(RuntimeWarning, match=r"shard-000003\.npy is damaged or gone, and is made again"):
        label(tmp_path)
    assert files_of(tmp_path) == before


def test_two_processes_write_the_same_files(tmp_path: Path) -> None:
    label(tmp_path / "one")
    label(tmp_path / "two", engine=Engine(workers=2))
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


class Counting(IterableDataset[torch.Tensor]):
    """A stream of the rows of X."""

    def __iter__(self) -> Any:
        return iter(X)


@pytest.mark.parametrize(
    "inputs", [TensorDataset(X), DataLoader(X, 7), (X,), {"x": X}, X.numpy()], ids=lambda x: type(x).__name__
)
def test_inputs_of_any_kind(tmp_path: Path, inputs: Any) -> None:
    assert torch.equal(label(tmp_path / "cache", inputs=inputs).outputs(), label(tmp_path / "tensor").outputs())


def test_a_stream_is_labelled_and_its_inputs_are_kept(tmp_path: Path) -> None:
    cache = label(tmp_path / "stream", inputs=Counting(), keep_inputs=True)
    assert torch.equal(cache.outputs(), label(tmp_path / "tensor").outputs())
    assert torch.equal(cache.inputs.read(5, 20), X[5:20])
    label(tmp_path / "stream", inputs=Counting(), keep_inputs=True)  # checked, and left as it is


def test_an_empty_stream_is_named(tmp_path: Path) -> None:
    class Empty(IterableDataset[torch.Tensor]):
        def __iter__(self) -> Any:
            return iter(())

    with pytest.raises(ValueError, match="at least one input"):
        label(tmp_path, inputs=Empty())


def test_a_cache_without_inputs_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"does not hold them.*keep_inputs=True"):
        label(tmp_path).inputs  # noqa: B018


@pytest.mark.parametrize(
    ("options", "message"),
    [({"dtype": "int8"}, "`dtype`"), ({"contents": "mean"}, "`contents`"), ({"shard_rows": 0}, "`shard_rows`")],
)
def test_wrong_options_are_named(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        label(tmp_path, **options)


def test_a_teacher_that_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"Expected an endd\.Ensemble"):
        cache_teacher(torch.nn.Linear(2, 2), X, tmp_path)  # type: ignore[arg-type]


def test_a_full_disk_is_one_line_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, left = os.fsync, [9]  # the plan, and four shards with their records

    def full(handle: int) -> None:
        left[0] -= not os.path.isdir(f"/proc/self/fd/{handle}")
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match=r"shard-000004\.npy, but its disk is full"):
        label(tmp_path / "cache")
    assert len(list((tmp_path / "cache").glob("shard-*.npy"))) == 4
    monkeypatch.undo()
    label(tmp_path / "cache")
    label(tmp_path / "again")
    assert files_of(tmp_path / "cache") == files_of(tmp_path / "again")
