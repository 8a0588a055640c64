"""Files that stand in their place only once they are whole, and one clear line where the disk is at fault."""

import errno
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

# What is wrong with a place to write to, and what to do about it.
TROUBLES = {
    errno.ENOSPC: "its disk is full. Free some space",
    errno.EDQUOT: "your share of its disk is used up. Free some space",
    errno.EROFS: "it is read-only. Choose another folder",
    errno.EACCES: "that is not allowed. Choose another folder",
    errno.EPERM: "that is not allowed. Choose another folder",
    errno.ENOTDIR: "a file is in the way. Choose another folder",
    errno.EEXIST: "a file is in the way. Choose another folder",
    errno.ENOENT: "its folder is gone. Bring it back",
    errno.ESTALE: "its disk is no longer there. Mount it again",
    errno.EIO: "its disk fails. Look at it",
    errno.ENOTCONN: "its disk is no longer there. Mount it again",
}


class StorageError(OSError):
    """A file that could not be written; everything written before is still there."""


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """What goes wrong with a disk is said in one line."""
    try:
        yield
    except OSError as error:
        if isinstance(error, StorageError) or error.errno not in TROUBLES:
            raise
        line = f"Expected to write {path}, but {TROUBLES[error.errno]} and start again: what was written is kept."
        told = StorageError(line)
        told.errno = error.errno
        raise told from None


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A stream into a file beside `path`, put there at the end; after an error nothing is left of it."""
    temporary = path.parent / f".{path.name[:40]}-{uuid.uuid4().hex[:8]}"
    try:
        with storing(path):
            with temporary.open("xb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, path)
            _sync_folder(path.parent)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file beside its place, then put it there."""
    with new_file(path) as stream:
        stream.write(content)


def check_can_write(folder: Path, option: str) -> None:
    """Raise if nothing could be written to a folder, which may not be there yet: before hours of work, not after.

    option: where the folder was named, such as --out.
    """
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not nearest.is_dir():
        raise NotADirectoryError(f"Expected a folder to write to, but {nearest} is a file. Choose another {option}.")
    if not os.access(nearest, os.W_OK):
        raise PermissionError(f"Expected to write to {nearest}, but that is not allowed. Choose another {option}.")


def make_folder(path: Path) -> None:
    """A folder, and those that it lies in."""
    with storing(path):
        path.mkdir(parents=True, exist_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make a new name last through a power cut, where the system lets folders be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
