"""The folder that a study leaves behind: whole or not at all, and never over another study."""

import json
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from endd._damage import reading
from endd._files import check_can_write
from endd.studies.result import AGAIN, METRICS

# What a folder holds whose numbers are of no study.
UNKNOWN = "something else"


def check_folder(path: str | Path, study: str) -> None:
    """Raise if results of `study` cannot go to `path`: a file is in the way, or it holds another study."""
    path = Path(path)
    for folder in (path, path / "figures"):
        check_can_write(folder, "--out")
    metrics = path / METRICS
    if not metrics.exists():
        return
    remedy = f"Choose another --out, or bring it back, or delete it and {AGAIN}"
    with reading(metrics, "the numbers of a study", remedy):
        said = json.loads(metrics.read_text())
    found = said.get("study", UNKNOWN) if isinstance(said, dict) else UNKNOWN
    if found != study:
        raise FileExistsError(
            f"Expected a new folder or one of the study {study!r}, but {path} holds {found!r}. Choose another --out."
        )


@contextmanager
def study_folder(path: str | Path, study: str) -> Iterator[Path]:
    """A temporary folder, put in the place of `path` at the end; after an error nothing is left of it.

    Where `path` exists, files of the same name are replaced one by one and others are left alone.
    """
    check_folder(path, study)
    path = Path(path).resolve()
    # inside a folder that is there: beside it may be another disk, or none that can be written to
    temporary = (path if path.exists() else path.parent) / f".{path.name}-{uuid.uuid4().hex[:8]}"
    temporary.mkdir(parents=True)
    try:
        yield temporary
        _put(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _put(source: Path, target: Path) -> None:
    if not target.exists():
        os.rename(source, target)
        return
    # what names other files comes last, so that they are there by then
    for file in sorted(source.rglob("*"), key=lambda file: (file.suffix == ".json", file)):
        if file.is_file():
            place = target / file.relative_to(source)
            place.parent.mkdir(exist_ok=True)
            os.replace(file, place)
