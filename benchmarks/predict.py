"""What `endd predict` costs beside a plain loop, and whether its memory stays flat.

Claims: over 10 million rows of 10 columns it runs at 60 % of the speed, or more, of a plain pyarrow loop that reads
the same Parquet file, runs the bare network and writes the same columns; it takes less than 1 GB above the import. The
loop runs the network on whole batches, and once more on parts that fit into the cache: speeds are beside the faster of
the two. The interval, whose ends are quantiles of a mixture, is timed apart.

Each contestant runs in a process of its own, one after another, several rounds; times begin once all is imported.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch

import endd
from benchmarks.timing import write
from endd.cli.tables import predict

COLUMNS, CHUNK, ROUNDS = 10, 1_000_000, 3
NAMES = [f"x{place}" for place in range(COLUMNS)]
WRITTEN = {"mean": pa.float64(), "total": pa.float32(), "aleatoric": pa.float32(), "epistemic": pa.float32()}


def prepare(folder: Path, rows: int) -> None:
    """A table, and a model of its first rows with networks of the usual size."""
    random = np.random.default_rng(0)
    schema = pa.schema([(name, pa.float64()) for name in NAMES])
    with pq.ParquetWriter(folder / "in.parquet", schema) as writer:
        for start in range(0, rows, CHUNK):
            numbers = random.normal(3, 2, (min(CHUNK, rows - start), COLUMNS))
            writer.write_table(pa.table(dict(zip(NAMES, numbers.T, strict=True))))
    table = pa.table(dict(zip(NAMES, numbers[:2000].T, strict=True)))
    y = 1000 + numbers[:2000] @ np.arange(COLUMNS) + random.normal(size=min(rows, 2000))
    model = endd.DistilledRegressor(n_members=3, epochs=10, student_epochs=10, random_state=0).fit(table, y)
    endd.save(model, folder / "model")


def plain(folder: Path, size: int) -> None:
    """Reads, runs the bare network on `size` rows at a time, writes: what anybody would write first."""
    model = endd.load(folder / "model")
    net, numeric = model.student_.net, model.encoder_.numeric
    with pq.ParquetWriter(folder / "out.parquet", pa.schema(WRITTEN.items())) as writer, torch.inference_mode():
        for batch in pq.ParquetFile(folder / "in.parquet").iter_batches():
            numbers = np.stack([column.to_numpy() for column in batch.columns], 1)
            x = torch.as_tensor((numbers - numeric.shift) / numeric.scale, dtype=torch.float32)
            raw = torch.cat([net(part) for part in x.split(size)]).numpy()
            columns = [pa.array(raw[:, place], kind) for place, kind in enumerate(WRITTEN.values())]
            writer.write_table(pa.table(columns, list(WRITTEN)))


def streamed(folder: Path, interval: bool) -> None:
    """endd predict."""
    predict(folder / "model", folder / "in.parquet", out=folder / "out.parquet", interval=interval, progress="none")


CONTESTANTS: dict[str, Callable[[Path], None]] = {
    "plain loop": lambda folder: plain(folder, 65_536),
    "plain loop, in parts": lambda folder: plain(folder, 4096),
    "endd predict": lambda folder: streamed(folder, interval=False),
    "with the interval": lambda folder: streamed(folder, interval=True),
}


def measure(name: str, folder: Path) -> None:
    """One contestant in this process: seconds, and megabytes above the import."""
    import endd.streaming  # noqa: F401  (what is imported on first use)

    before, start = _peak(), time.perf_counter()
    CONTESTANTS[name](folder)
    print(json.dumps({"seconds": time.perf_counter() - start, "megabytes": _peak() - before}))


def _peak() -> float:
    """The most memory so far, in megabytes, of this program alone: getrusage counts what its parent held too."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def main(rows: int = 10_000_000) -> None:
    found: dict[str, list[dict[str, float]]] = {name: [] for name in CONTESTANTS}
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name), rows)
        for _ in range(ROUNDS):
            for contestant, runs in found.items():
                command = [sys.executable, "-m", "benchmarks.predict", contestant, name]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                runs.append(json.loads(done.stdout.splitlines()[-1]))
    loops = [found["plain loop"], found["plain loop, in parts"]]
    fastest = [min(a["seconds"], b["seconds"]) for a, b in zip(*loops, strict=True)]
    table = [
        {
            "contestant": contestant,
            "rows": rows,
            "speed": round(statistics.median(a / b["seconds"] for a, b in zip(fastest, runs, strict=True)), 3),
            "microseconds a row": round(1e6 * statistics.median(run["seconds"] for run in runs) / rows, 3),
            "megabytes above the import": round(max(run["megabytes"] for run in runs)),
        }
        for contestant, runs in found.items()
    ]
    write("predict", table)


if __name__ == "__main__":
    measure(sys.argv[1], Path(sys.argv[2]))
