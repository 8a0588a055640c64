"""A file that stands in its place only once it is whole."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def in_place(path: str | Path) -> Iterator[Path]:
    """A new file beside `path`, put there at the end; after an error nothing is left of it."""
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"Expected the folder of {path} to be there, but it is not. Make it first.")
    if path.is_dir():
        raise IsADirectoryError(f"Expected a file to write, but {path} is a folder. Choose another name.")
    temporary = path.parent / f".{uuid.uuid4().hex[:8]}{path.suffix}"
    try:
        temporary.touch(exist_ok=False)  # what cannot be written is told before anything is computed
    except OSError as error:
        raise type(error)(f"Expected a file that can be written, but {path} cannot be: {error.strerror}.") from None
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
