"""`endd label`."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import torch

import endd
from endd.nn import MLP
from endd.streaming import read_all, read_rows
from tests.cli.running import Run, one_line
from tests.training.cache.caching import files_of

OPTIONS = ["--shard-rows", "8", "--progress", "none"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    endd.save(endd.Ensemble([MLP(3, [4], 2) for _ in range(4)], endd.families.Gaussian()), tmp_path / "teacher")
    x = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    np.savez(tmp_path / "x.npz", x=x)
    np.save(tmp_path / "x.npy", x)
    return tmp_path


def test_arrays_are_labelled(run: Run, folder: Path, capsys: Any) -> None:
    assert run("label", folder / "teacher", folder / "x.npz", "--out", folder / "a", *OPTIONS) == 0
    assert "4 members say about 50 inputs" in capsys.readouterr().out
    assert run("label", folder / "teacher", folder / "x.npy", "-o", folder / "b", *OPTIONS) == 0
    assert files_of(folder / "a") == files_of(folder / "b")
    z = endd.TeacherCache(folder / "a").outputs()
    teacher = endd.load(folder / "teacher")
    torch.testing.assert_close(z, teacher(torch.as_tensor(np.load(folder / "x.npy"))).atoms.detach())


@pytest.mark.parametrize("more", [["--one-by-one"], ["--workers", "2"]], ids=lambda more: more[0])
def test_other_ways_write_the_same_files(run: Run, folder: Path, more: list[str]) -> None:
    assert run("label", folder / "teacher", folder / "x.npy", "-o", folder / "a", *OPTIONS) == 0
    assert run("label", folder / "teacher", folder / "x.npy", "-o", folder / "b", *OPTIONS, *more) == 0
    assert files_of(folder / "a") == files_of(folder / "b")


def test_a_table_is_encoded_first(run: Run, model: Path, houses: Path, tmp_path: Path) -> None:
    assert run("label", model, houses, "-o", tmp_path / "c", "--dtype", "float16", *OPTIONS) == 0
    cache = endd.TeacherCache(tmp_path / "c")
    assert (len(cache), cache.plan.members, cache.plan.dtype) == (120, 2, "float16")


@pytest.mark.parametrize("more", [[], ["--workers", "2"]], ids=["here", "processes"])
def test_tables_of_either_kind_give_the_same_files(
    run: Run,
    model: Path,
    houses: Path,
    tmp_path: Path,
    more: list[str],
) -> None:
    """Also from a table that is wholly in memory."""
    pq.write_table(pa.csv.read_csv(houses), tmp_path / "x.parquet", row_group_size=32)
    for name, table in (("a", houses), ("b", tmp_path / "x.parquet")):
        assert run("label", model, table, "-o", tmp_path / name, "--keep-inputs", *OPTIONS, *more) == 0
    estimator = endd.load(model)
    x = read_all(read_rows(houses, estimator))
    endd.cache_teacher(estimator.teacher_, x, tmp_path / "c", keep_inputs=True, shard_rows=8, progress="none")
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b") == files_of(tmp_path / "c")


@pytest.mark.parametrize("name", ["none.npy", "x.txt", "none.npz"])
def test_what_cannot_be_read_is_one_line(run: Run, folder: Path, name: str, capsys: Any) -> None:
    (folder / "x.txt").touch()
    assert run("label", folder / "teacher", folder / name, "-o", folder / "a", *OPTIONS) == 2
    assert name in one_line(capsys)


def test_another_teacher_is_one_line(run: Run, folder: Path, capsys: Any) -> None:
    assert run("label", folder / "teacher", folder / "x.npy", "-o", folder / "a", *OPTIONS) == 0
    endd.save(endd.Ensemble([MLP(3, [4], 2) for _ in range(4)], endd.families.Gaussian()), folder / "teacher")
    capsys.readouterr()
    assert run("label", folder / "teacher", folder / "x.npy", "-o", folder / "a", *OPTIONS) == 2
    assert "another teacher" in one_line(capsys)
