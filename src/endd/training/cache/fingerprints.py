"""Hashes that tell one teacher, or one table of inputs, from another."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

CHUNK = 1 << 20


class RowsHash:
    """sha256 of rows that come part by part, however they are cut."""

    def __init__(self) -> None:
        self._parts: dict[str, Any] = {}

    def update(self, nest: Any, name: str = "") -> "RowsHash":
        """Further rows."""
        if isinstance(nest, Mapping):
            for key, value in nest.items():
                self.update(value, f"{name}.{key}")
        elif isinstance(nest, tuple | list):
            for place, value in enumerate(nest):
                self.update(value, f"{name}[{place}]")
        else:
            kind = f"{name} {nest.dtype} {tuple(nest.shape[1:])}"
            self._parts.setdefault(kind, hashlib.sha256()).update(_bytes(nest))
        return self

    def hexdigest(self) -> str:
        """The hash of all rows so far."""
        whole = [f"{kind}: {part.hexdigest()}" for kind, part in sorted(self._parts.items())]
        return hashlib.sha256("\n".join(whole).encode()).hexdigest()


def network_fingerprint(network: nn.Module) -> str:
    """sha256 of what a network is and of all its tensors."""
    found = hashlib.sha256(f"{type(network).__qualname__} {_settings(network)}\n{network}".encode())
    for name, tensor in network.state_dict().items():
        found.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        found.update(_bytes(tensor))
    return found.hexdigest()


def file_fingerprint(path: Path) -> str:
    """sha256 of a file, read part by part."""
    found = hashlib.sha256()
    with path.open("rb") as stream:
        while part := stream.read(CHUNK):
            found.update(part)
    return found.hexdigest()


def _settings(network: nn.Module) -> str:
    """Plain numbers and words that a network carries, but for the mode that it is in."""
    plain = {n: v for n, v in vars(network).items() if isinstance(v, bool | int | float | str) and n != "training"}
    return str(sorted(plain.items()))


def _bytes(tensor: Tensor) -> Any:
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy() if flat.numel() else b""
