"""The five UCI regression sets of the paper, with the splits that the field uses.

A folder of your own comes first: `data`, else the environment variable ENDD_DATA, names one that holds uci/NAME.npz
with arrays X (n, d), y (n,) and, for the published splits, train_idx and test_idx (s, ...). Any NAME will do there.
Without a folder the five are downloaded.
"""

import os
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endd._checks import check_option
from endd.data.examples import Split, make_split
from endd.data.uci_download import FINGERPRINTS, download

VARIABLE = "ENDD_DATA"
NAMES = tuple(FINGERPRINTS)
#: How a set is split: five shuffled folds, or the 20 published splits of 90 to 10 (Hernandez-Lobato and Adams 2015).
PROTOCOLS = ("kfold5", "published20")
FOLDS = 5


class Table(NamedTuple):
    """X (n, d) and y (n,) in float64, raw; rows of the published splits, train (s, n - t) and test (s, t)."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    train: NDArray[np.int64]
    test: NDArray[np.int64]


def load_uci(name: str, data: str | Path | None = None) -> Table:
    """A data set by name, from a folder (`data`, else ENDD_DATA) or, without one, from its home."""
    folder = data or os.environ.get(VARIABLE)
    if not folder:
        return Table(*download(name))
    file = Path(folder) / "uci" / f"{name}.npz"
    if not file.is_file():
        raise FileNotFoundError(
            f"Expected the data set {name!r} at {file}, but there is none. Point --data or {VARIABLE} at a folder "
            f"that holds uci/{name}.npz, or leave out both to download {', '.join(NAMES)}."
        )
    return _read(file)


def uci_splits(table: Table, protocol: str, seed: int = 0) -> list[Split]:
    """fold0 to fold4 of rows shuffled by a seed, or split0 to split19 as published (whatever the seed)."""
    check_option("splits", protocol, PROTOCOLS)
    if protocol == "kfold5":
        if len(table.y) < FOLDS:
            raise ValueError(f"Expected at least {FOLDS} rows for {FOLDS} folds, but got {len(table.y)}.")
        parts = np.array_split(np.random.default_rng(seed).permutation(len(table.y)), FOLDS)
        pairs = [(np.concatenate([*parts[:k], *parts[k + 1 :]]), parts[k]) for k in range(FOLDS)]
    else:
        pairs = list(zip(table.train, table.test, strict=True))
        if not pairs:
            raise ValueError("Expected a data set with published splits, but it has none. Use splits='kfold5'.")
    noun = "fold" if protocol == "kfold5" else "split"
    return [make_split(f"{noun}{k}", table.x, table.y, *rows) for k, rows in enumerate(pairs)]


def _read(file: Path) -> Table:
    try:
        with np.load(file, allow_pickle=False) as found:
            arrays = {key: found[key] for key in found.files}
        x, y = arrays["X"].astype(np.float64), arrays["y"].astype(np.float64)
    except (KeyError, ValueError, zipfile.BadZipFile):
        raise ValueError(f"Expected an .npz file with numbers X (n, d) and y (n,), but {file} is not one.") from None
    if x.ndim != 2 or y.shape != x.shape[:1] or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError(f"Expected finite X (n, d) and y (n,) in {file}, but got shapes {x.shape} and {y.shape}.")
    none = np.empty((0, 0), np.int64)
    train, test = (arrays.get(key, none).astype(np.int64) for key in ("train_idx", "test_idx"))
    return Table(x, y, train, test)
