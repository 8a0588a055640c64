"""The files of a shard."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from endd.training.cache.fingerprints import file_fingerprint
from endd.training.cache.records import Plan
from endd.training.cache.rows import TableRows
from endd.training.cache.writing import read_inputs, write_inputs, write_outputs

PLAN = Plan(4, 4, 3, 2, "float16", "members", False, {"name": "Gaussian"}, None, "abc")


def test_outputs_are_a_plain_npy_file_with_its_hash(tmp_path: Path) -> None:
    z = torch.randn(3, 4, 2)
    sha = write_outputs(tmp_path / "z.npy", z, PLAN, (0, 4))
    assert sha == file_fingerprint(tmp_path / "z.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "z.npy", allow_pickle=False), z.half().numpy())


@pytest.mark.parametrize("table", [torch.rand(4, 2), {"a": torch.rand(4), "x": torch.ones(4)}, (torch.rand(4, 1),) * 2])
def test_inputs_come_back_as_they_were(tmp_path: Path, table: Any) -> None:
    sha = write_inputs(tmp_path / "x.npz", TableRows(table), 1, 3)
    assert sha == file_fingerprint(tmp_path / "x.npz") == write_inputs(tmp_path / "y.npz", TableRows(table), 1, 3)
    torch.testing.assert_close(read_inputs(tmp_path / "x.npz"), TableRows(table).read(1, 3))


def test_nested_inputs_are_not_kept(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="flat dict or tuple"):
        write_inputs(tmp_path / "x.npz", TableRows(({"a": torch.rand(4)},)), 0, 2)
