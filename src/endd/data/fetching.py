"""Files from their home into a cache, and a hash that tells whether what is read from them is what it should be."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def fetch(home: str, files: list[str], folder: Path, what: str, holds: str) -> Path:
    """The folder with all of the files, fetched where they are missing, without a word on the screen.

    If that fails, a message says `what` was wanted, and what a folder of the user's own `holds` in its place.
    """
    import pooch

    source = pooch.create(path=folder, base_url=f"{home}/", registry=dict.fromkeys(files), retry_if_failed=1)
    logger = pooch.get_logger()
    level = logger.level
    try:
        logger.setLevel("WARNING")  # it would print two lines a file
        for file in files:
            source.fetch(file)
    except OSError as error:
        raise FileNotFoundError(
            f"Expected to download {what} from {home}, but that failed ({type(error).__name__}). Point --data or "
            f"ENDD_DATA at a folder that holds {holds}, or connect to the internet."
        ) from error
    finally:
        logger.setLevel(level)
    return folder


def cache_folder(cache: str | Path | None = None) -> Path:
    """Where downloads are kept: a folder of one's own, or the user's cache."""
    import pooch

    return Path(cache or pooch.os_cache("endd"))


def fingerprint(*arrays: NDArray[Any]) -> str:
    """sha256 of the arrays' bytes one after another, row by row, little end first."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()
