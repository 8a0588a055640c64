"""A model folder: model.json, which says everything in words, and one file of tensors, named by its hash.

The tensors are written first and the JSON that names them is put in place last: a crash leaves the old model or the
new one. Both are checked against their hashes when they are read.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as parse_tensors
from safetensors.torch import save as format_tensors
from torch import Tensor

from endd import __version__
from endd._files import make_folder, replace_file

# Version 2 came with what is attached to a student; version 1 has nothing of it and is read as it was.
FORMAT, VERSION = "endd model", 2
DESCRIPTION = "model.json"
# Nothing else may be named by the JSON: no path leads out of the folder.
WEIGHTS = re.compile(r"weights-([0-9a-f]{64})\.safetensors")
# What to do where a folder is damaged.
AGAIN = "Bring it back, or save the model again."


class ModelFolderError(ValueError):
    """A model folder that is damaged, too new, or none at all."""


def write_folder(path: str | Path, described: dict[str, Any], tensors: dict[str, Tensor]) -> None:
    """Put a model into a folder, in place of the one that it holds."""
    folder = Path(path)
    make_folder(folder)
    # copies: a network may use one tensor twice, a file may not
    content = format_tensors({name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()})
    name = f"weights-{hashlib.sha256(content).hexdigest()}.safetensors"
    replace_file(folder / name, content)
    versions = {"endd": __version__, "torch": str(torch.__version__)}
    head = {"format": FORMAT, "version": VERSION, **described, "versions": versions, "weights": name}
    replace_file(folder / DESCRIPTION, _readable(head | {"sha256": fingerprint(head)}).encode())
    remove_stale(folder)


def read_folder(path: str | Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """What `write_folder` was given, or an error that names what is wrong."""
    folder = Path(path)
    described = read_description(folder)
    file = folder / described["weights"]
    if not file.is_file():
        raise FileNotFoundError(f"Expected {file}, which {DESCRIPTION} names, but it is not there. {AGAIN}")
    content = file.read_bytes()
    if f"weights-{hashlib.sha256(content).hexdigest()}.safetensors" != described["weights"]:
        raise ModelFolderError(f"Expected {file} as it was saved, but it was changed. {AGAIN}")
    try:
        return described, parse_tensors(content)
    except (SafetensorError, KeyError, RuntimeError) as error:
        raise ModelFolderError(f"Expected tensors in {file}, but {error}. {AGAIN}") from None


def remove_stale(path: str | Path) -> None:
    """Delete the weights of earlier models from a folder, which its JSON no longer names."""
    folder = Path(path)
    named = json.loads((folder / DESCRIPTION).read_bytes())["weights"]
    for file in folder.iterdir():
        if WEIGHTS.fullmatch(file.name) and file.name != named:
            file.unlink(missing_ok=True)


def fingerprint(described: dict[str, Any]) -> str:
    """sha256 of what a JSON says, however it is laid out."""
    plain = json.dumps(described, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()


def read_description(folder: Path) -> dict[str, Any]:
    """What model.json says, or an error that names what is wrong with it."""
    file = folder / DESCRIPTION
    if not file.is_file():
        raise FileNotFoundError(
            f"Expected a model folder, but {folder} holds no {DESCRIPTION}. Make one with endd.save or `endd fit`."
        )
    try:
        described = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        described = None
    if not isinstance(described, dict) or described.get("format") != FORMAT:
        raise ModelFolderError(f"Expected {file} to describe an endd model, but it does not. {AGAIN}")
    version = described.get("version")
    if not isinstance(version, int) or version < 1:
        raise ModelFolderError(f"Expected a format version from 1 to {VERSION} in {file}, but got {version!r}.")
    if version > VERSION:
        raise ModelFolderError(
            f"Expected a model of format version {VERSION} or older in {file}, but got version {version}. Update endd."
        )
    said = described.pop("sha256", None)
    if said != fingerprint(described) or not WEIGHTS.fullmatch(str(described.get("weights"))):
        raise ModelFolderError(f"Expected {file} as it was saved, but it was changed. {AGAIN}")
    return described


def _readable(described: dict[str, Any]) -> str:
    """Indented JSON, with plain lists on one line; text has no bare line breaks, so it is left as it is."""
    text = json.dumps(described, indent=1, allow_nan=False, ensure_ascii=False)
    return re.sub(r"\[\n\s+([^\[\]{}]*?)\n\s+\]", lambda found: f"[{_joined(found[1])}]", text) + "\n"


def _joined(lines: str) -> str:
    return re.sub(r",\n\s+", ", ", lines)
