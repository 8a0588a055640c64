"""The members of a saved ensemble, loaded one at a time."""

import hashlib
from functools import partial
from pathlib import Path
from typing import Any

from safetensors import safe_open
from torch import nn

from endd.persistence.folder import AGAIN, ModelFolderError, read_description
from endd.persistence.models import MEMBER_WEIGHTS
from endd.persistence.networks import network_from_plain
from endd.persistence.plain import family_from_plain
from endd.training import OneByOne

CHUNK = 1 << 20


def load_one_by_one(path: str | Path) -> OneByOne:
    """The ensemble that `save` wrote, of which one member at a time is in memory."""
    folder = Path(path)
    described = read_description(folder)
    if described.get("kind") != "Ensemble" or any(member.get("own") for member in described["members"]):
        raise ValueError(f"Expected an ensemble of endd's own networks in {folder}, but it holds something else.")
    file = folder / described["weights"]
    _check(file)
    alike = described["members"]
    loaders = [partial(_member, file, alike[n if len(alike) > 1 else 0], n) for n in range(described["size"])]
    with safe_open(file, "pt") as tensors:
        weights = tensors.get_tensor(MEMBER_WEIGHTS) if MEMBER_WEIGHTS in tensors.keys() else None  # noqa: SIM118
    return OneByOne(loaders, family_from_plain(described["family"]), output=described["output"], weights=weights)


def _member(file: Path, described: dict[str, Any], number: int) -> nn.Module:
    prefix = f"members.{number}."
    with safe_open(file, "pt") as tensors:
        names = [name for name in tensors.keys() if name.startswith(prefix)]  # noqa: SIM118
        state = {name.removeprefix(prefix): tensors.get_tensor(name) for name in names}
    return network_from_plain(described, state).eval()


def _check(file: Path) -> None:
    found = hashlib.sha256()
    with file.open("rb") as stream:
        while part := stream.read(CHUNK):
            found.update(part)
    if file.name != f"weights-{found.hexdigest()}.safetensors":
        raise ModelFolderError(f"Expected {file} as it was saved, but it was changed. {AGAIN}")
