"""CIFAR-10-C on disk: the released files where a user has them, else corruptions made once and kept."""

import os
import uuid
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from endd.data.corruptions.by_name import corrupt
from endd.data.corruptions.constants import RELEASED_NAMES, SEVERITIES, check_corruption
from endd.data.fetching import fingerprint
from endd.data.frost import load_frost
from endd.data.pixels import Bytes
from endd.data.uci import VARIABLE

#: The folder of the released files, one for a corruption, with its five severities one after another.
RELEASED = "CIFAR-10-C"


def corrupted(
    name: str, severity: int, x_test: Bytes, folder: str | Path, data: str | Path | None = None, seed: int = 0
) -> Bytes:
    """The test images (N, 32, 32, 3) under a corruption, read from `folder` if they are there and else put there.

    Where `data` (else ENDD_DATA) holds CIFAR-10-C/NAME.npy for as many images, that is read instead; it also holds the
    pictures of frost. A file is put in its place once it is whole, so that a run that was killed goes on after it.
    """
    check_corruption(name, severity)
    data = data or os.environ.get(VARIABLE)
    parts = _released(name, len(x_test), data)
    if parts is not None:
        return np.array(parts[(severity - 1) * len(x_test) :][: len(x_test)])
    file = _file(folder, name, severity, _key(x_test, seed))
    if not file.is_file():
        pictures = load_frost(data) if name == "frost" else None
        _write(file, corrupt(x_test, name, severity, seed, pictures))
    return np.array(_read(file))


def not_there(
    sets: Iterable[tuple[str, int]], x_test: Bytes, folder: str | Path, data: str | Path | None = None, seed: int = 0
) -> list[tuple[str, int]]:
    """Those of some corruptions and severities that `corrupted` would have to make."""
    key = _key(x_test, seed)
    absent = [(name, severity) for name, severity in sets if not _file(folder, name, severity, key).is_file()]
    return [(name, severity) for name, severity in absent if _released(name, len(x_test), data) is None]


def _released(name: str, rows: int, data: str | Path | None) -> Bytes | None:
    """All severities of a corruption as they were released, if there are as many images of each."""
    data = data or os.environ.get(VARIABLE)
    file = Path(data) / RELEASED / f"{RELEASED_NAMES.get(name, name)}.npy" if data else None
    parts = _read(file) if file and file.is_file() else None
    return parts if parts is not None and len(parts) == len(SEVERITIES) * rows else None


def _file(folder: str | Path, name: str, severity: int, key: str) -> Path:
    return Path(folder) / f"{name}-{severity}-{key}.npy"


def _key(x_test: Bytes, seed: int) -> str:
    """Other images, and another seed, are other files."""
    return f"{fingerprint(x_test)[:12]}-{seed}"


def _read(file: Path) -> Bytes:
    try:
        found = np.load(file, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"Expected images in {file}, but it cannot be read: {error}. Delete it.") from None
    if not isinstance(found, np.ndarray) or found.dtype != np.uint8 or found.ndim != 4:
        raise ValueError(f"Expected images (N, 32, 32, 3) in uint8 in {file}, but it holds others. Delete it.")
    return found


def _write(file: Path, images: Bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{uuid.uuid4().hex[:8]}-{file.name}")
    try:
        np.save(temporary, images)
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)
