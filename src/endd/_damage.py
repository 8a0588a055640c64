"""Files that were whole once: one that cannot be read any more is named in one line, and left as it is."""

import pickle
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

# What reading a file that is no such file, or only a part of one, can end with.
DAMAGE = (
    *(OSError, EOFError, AttributeError, LookupError, RuntimeError, TypeError, ValueError, OverflowError),
    *(zipfile.BadZipFile, zlib.error, struct.error, pickle.UnpicklingError, SafetensorError),
)


class DamagedFileError(ValueError):
    """A file that was written by us, or should have been, and cannot be read."""


@contextmanager
def reading(file: Path, what: str, remedy: str) -> Iterator[None]:
    """Whatever goes wrong while `what` is read from a file is the file's fault. remedy: a sentence on what to do."""
    try:
        yield
    except DAMAGE as error:
        # a library's own words are about its formats and options, and no help here
        reason = error.strerror if isinstance(error, OSError) else None
        trouble = f"it cannot be read ({reason})" if reason else f"it is damaged ({type(error).__name__})"
        if reason and not isinstance(error, FileNotFoundError | IsADirectoryError | NotADirectoryError):
            remedy = "It may be whole: see to that, and try again."
        raise DamagedFileError(f"Expected {what} in {file}, but {trouble}. {remedy}") from None
