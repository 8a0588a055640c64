"""Fabric, which places a run on its devices and processes."""

from contextlib import suppress
from importlib import import_module
from typing import Any

import torch

from endd.training.processes import placement, world


def fabric_on(device: str | torch.device | None, precision: Any) -> Any:
    """Fabric on a device: the first GPU if there is one, unless told otherwise."""
    return _class()(**_placement(device), precision=precision)


def _class() -> Any:
    """It comes as a package of its own and as a part of lightning."""
    for home in ("lightning_fabric", "lightning.fabric"):
        with suppress(ImportError):
            return import_module(home).Fabric
    raise ImportError("Training needs lightning-fabric. Use pip install lightning-fabric.")


def _placement(device: str | torch.device | None) -> dict[str, Any]:
    """Fabric's words for where a run is; of several processes each has a device of its own."""
    kind = torch.device(device) if device is not None else torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if world() > 1:
        return {"accelerator": kind.type, **placement()}
    return {"accelerator": kind.type, "devices": 1 if kind.type == "cpu" else [kind.index or 0]}
