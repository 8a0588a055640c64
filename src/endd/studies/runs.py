"""All that was run below a folder: trainings, caches and studies, how far they are, and their key numbers."""

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from endd.training.cache.records import CacheError, read_plan
from endd.training.run_folder import CONFIG, FINISHED, METRICS

# Numbers of a run that are shown, the more telling first.
SHOWN = ("validation", "loss")


class Run(NamedTuple):
    """One of them."""

    path: Path
    kind: str
    status: str
    numbers: str


def find_runs(folder: str | Path) -> Iterator[Run]:
    """Every run at and below a folder, by path; what cannot be read is named and not hidden."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        path = Path(place)
        for names, read in (
            (["manifest.json", "plan.json"], _cache),
            ([CONFIG], _training),
            (["metrics.json"], _study),
        ):
            if any(name in files for name in names):
                try:
                    found = read(path)
                except (OSError, ValueError, KeyError, TypeError) as error:
                    found = Run(path, "unreadable", "damaged", " ".join(str(error).split())[:60])
                if found is not None:
                    yield found
                    break


def _training(path: Path) -> Run | None:
    config = json.loads((path / CONFIG).read_text())
    if "kind" not in config or "epochs" not in config:
        return None
    rows: list[dict[str, Any]] = []
    if (path / METRICS).exists():
        with (path / METRICS).open() as stream:
            rows = list(csv.DictReader(stream))
    over = (path / FINISHED).exists()
    status = f"finished, {len(rows)} epochs" if over else f"epoch {len(rows)} of {config['epochs']}"
    last = rows[-1] if rows else {}
    return Run(path, config["kind"], status, _shown({name: last[name] for name in SHOWN if last.get(name)}))


def _cache(path: Path) -> Run | None:
    try:
        found = read_plan(path)
    except CacheError as error:
        return Run(path, "cache", "damaged", str(error)[:60])
    if found is None:
        return None
    plan, records = found
    done = len(list(path.glob("shard-*.npy")))
    status = f"shard {done} so far" if records is None else f"finished, {done} of {len(records)} shards"
    return Run(path, "cache", status, f"{plan.rows or 'unknown'} rows x {plan.members} members, {plan.dtype}")


def _study(path: Path) -> Run | None:
    said = json.loads((path / "metrics.json").read_text())
    models = sorted({record["model"] for record in said["records"]})
    return Run(path, f"study {said['study']}", "finished", f"{len(said['records'])} numbers, {len(models)} models")


def _shown(numbers: dict[str, Any]) -> str:
    return "  ".join(f"{name} {float(value):.4g}" for name, value in numbers.items())
