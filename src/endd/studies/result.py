"""What a study found: one number a record, with the settings and the machine that made it."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endd._damage import reading
from endd.studies.statistics import Estimate, estimate

METRICS, CONFIG, CURVES = "metrics.json", "config.json", "curves.npz"
#: What helps where one of them is damaged.
AGAIN = "run the study again."
#: Where the settings of a result say which rows of one's own were added, and from where.
OWN = "own"
#: A split and a seed: where one value of a metric comes from.
Repeat = tuple[str, int]


@dataclass(frozen=True)
class Record:
    """One number."""

    model: str
    dataset: str
    split: str
    seed: int
    metric: str
    value: float


@dataclass(frozen=True)
class Result:
    """A study's records, and the curves that its figures draw.

    >>> records = [Record(m, "toy", "test", s, "nll", s + (m == "b")) for m in "ab" for s in range(3)]
    >>> result = Result("toy", {}, {}, records)
    >>> result.models(), result.estimate("a", "nll").mean, result.difference("b", "a", "nll").mean
    (['a', 'b'], 1.0, 1.0)
    """

    study: str
    config: dict[str, Any]
    environment: dict[str, str]
    records: list[Record]
    curves: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    def models(self) -> list[str]:
        """Names of the models, in the order of the records."""
        return list(dict.fromkeys(record.model for record in self.records))

    def datasets(self) -> list[str]:
        """Names of the data sets, in the order of the records."""
        return list(dict.fromkeys(record.dataset for record in self.records))

    def values(self, model: str, metric: str, dataset: str | None = None) -> dict[Repeat, float]:
        """Values by split and seed, of one data set (or of the only one)."""
        chosen = [r for r in self.records if (r.model, r.metric) == (model, metric) and dataset in (None, r.dataset)]
        found = {(record.split, record.seed): record.value for record in chosen}
        if len(found) < len(chosen):
            raise ValueError(
                f"Expected one value of {metric} for {model} a split and seed, but got several. Name the data set."
            )
        return found

    def estimate(self, model: str, metric: str, dataset: str | None = None) -> Estimate | None:
        """The mean over splits and seeds with its 95 % interval; None where there are no values."""
        values = self.values(model, metric, dataset)
        return estimate([*values.values()]) if values else None

    def difference(self, model: str, baseline: str, metric: str, dataset: str | None = None) -> Estimate | None:
        """The mean of model - baseline over the splits and seeds that both have, paired, with its 95 % interval."""
        ours, theirs = self.values(model, metric, dataset), self.values(baseline, metric, dataset)
        shared = [ours[repeat] - theirs[repeat] for repeat in sorted(ours.keys() & theirs.keys())]
        return estimate(shared) if shared else None

    def repeats(self) -> set[tuple[str, Repeat]]:
        """Where values come from: data set, split and seed."""
        return {(record.dataset, (record.split, record.seed)) for record in self.records}

    def joined(self, other: "Result", growing: tuple[str, ...] = ()) -> "Result":
        """The repeats of both as one result; settings and machine are the other's.

        growing: how names of curves end that have a row for every repeat; of any other curve the first stays.
        """
        twice = sorted(self.repeats() & other.repeats())
        if twice:
            raise ValueError(f"Expected results of different repeats, but got {twice[0]} in both.")
        curves = dict(self.curves)
        for name, curve in other.curves.items():
            if name not in curves:
                curves[name] = curve
            elif name.endswith(growing):
                curves[name] = np.concatenate([curves[name], curve])
        return Result(other.study, other.config, other.environment, self.records + other.records, curves)

    def save(self, folder: Path) -> None:
        """Write metrics.json, config.json and curves.npz; numbers have the seven digits of single precision."""
        (folder / METRICS).write_text(self._metrics())
        (folder / CONFIG).write_text(json.dumps(self.config, indent=1) + "\n")
        np.savez_compressed(folder / CURVES, allow_pickle=False, **self.curves)

    def _metrics(self) -> str:
        head = {"study": self.study, "config": self.config, "environment": self.environment}
        # one record a line, without spaces: readable, a change of one number is one of one line, and there are many
        rows = ",\n".join(_line(record) for record in self.records)
        return json.dumps(head, indent=1)[:-2] + f',\n "records": [\n{rows}\n ]\n}}\n'

    @classmethod
    def load(cls, folder: str | Path) -> "Result":
        """Read what `save` wrote."""
        metrics, curves = Path(folder, METRICS), Path(folder, CURVES)
        with reading(metrics, "the numbers of a study", f"Bring it back, or delete it and {AGAIN}"):
            found = json.loads(metrics.read_text())
            records = [Record(**row) for row in found["records"]]
            plain = found["study"], dict(found["config"]), dict(found["environment"])
        with (
            reading(curves, "the curves of a study", f"Bring it back, or delete it and {METRICS} and {AGAIN}"),
            np.load(curves, allow_pickle=False) as arrays,
        ):
            kept = {name: arrays[name] for name in arrays.files}
        return cls(*plain, records, kept)


def _line(record: Record) -> str:
    rounded = asdict(record) | {"value": float(f"{record.value:.7g}")}
    return json.dumps(rounded, allow_nan=False, separators=(",", ":"))


def records_of(model: str, dataset: str, split: str, seed: int, scores: dict[str, float]) -> Iterable[Record]:
    """A record for each score."""
    return (Record(model, dataset, split, seed, metric, float(value)) for metric, value in scores.items())
