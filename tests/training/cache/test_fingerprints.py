"""Hashes see what matters, and nothing else."""

from pathlib import Path

import torch
from torch import nn

from endd.training.cache.fingerprints import RowsHash, file_fingerprint, network_fingerprint

X = torch.arange(12.0).reshape(6, 2)


def of(*parts: object) -> str:
    found = RowsHash()
    for part in parts:
        found.update(part)
    return found.hexdigest()


def test_rows_are_the_same_however_they_are_cut() -> None:
    assert of(X) == of(X[:1], X[1:5], X[5:])
    assert of({"a": X, "b": (X,)}) == of({"a": X[:2], "b": (X[:2],)}, {"a": X[2:], "b": (X[2:],)})


def test_other_rows_orders_types_shapes_and_names_are_others() -> None:
    others = [X + 1, X.flip(0), X.double(), X.reshape(6, 1, 2), {"a": X}, (X,), X[:5]]
    assert len({of(X), *map(of, others)}) == 8


def test_half_precision_without_numpy_can_be_hashed() -> None:
    assert of(X.bfloat16()) != of(X.half())


def test_a_network_is_its_class_settings_and_weights() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    before = network_fingerprint(net)
    assert network_fingerprint(net.eval()) == network_fingerprint(net.train()) == before
    assert network_fingerprint(nn.Sequential(net[0], nn.Tanh())) != before
    with torch.no_grad():
        net[0].bias[0] += 1e-6  # type: ignore[index]
    assert network_fingerprint(net) != before


def test_a_file_is_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    assert file_fingerprint(tmp_path / "a").startswith("e3b0c442")
