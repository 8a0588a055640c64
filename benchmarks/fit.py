"""How long `endd fit` takes on a large table, from reading the file to the last figure.

Claim: 200,000 rows with 20 columns of numbers and 10 of categories, one of them with 1,000 levels, 5 % of all cells
missing, within 10 minutes on two cores with the default settings. Seconds do depend on the machine, so those of a
yardstick are beside them: scikit-learn's HistGradientBoosting on the same encoded columns.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

from benchmarks.timing import seconds, write

ROWS, NUMBERS, CATEGORIES, LEVELS, MISSING = 200_000, 20, 10, 1000, 0.05


def table(rows: int) -> pd.DataFrame:
    """Numbers, categories with 5 levels (one has 1,000) and gaps; the target depends on a few of each."""
    random = np.random.default_rng(0)
    numbers = random.normal(size=(rows, NUMBERS))
    codes = random.integers(0, [LEVELS, *[5] * (CATEGORIES - 1)], (rows, CATEGORIES))
    effect = random.normal(size=LEVELS)
    y = np.sin(numbers[:, 0]) + numbers[:, 1] * (codes[:, 1] - 2) + effect[codes[:, 0]]
    noise = np.exp(0.5 * numbers[:, 2]) * random.normal(size=rows)
    frame = pd.DataFrame(numbers, columns=[f"number{place}" for place in range(NUMBERS)])
    for place in range(CATEGORIES):
        frame[f"category{place}"] = np.char.add("level", codes[:, place].astype(str))
    frame = frame.mask(random.random(frame.shape) < MISSING)
    return frame.assign(target=y + 0.5 * noise)


def boosted(frame: pd.DataFrame) -> float:
    """Seconds of boosted trees on the same rows, categories as numbers."""
    X = frame.drop(columns="target")
    for name in X.columns[NUMBERS:]:
        X[name] = X[name].astype("category").cat.codes
    return seconds(lambda: HistGradientBoostingRegressor(random_state=0).fit(X, frame["target"]))


def main(rows: int = ROWS) -> None:
    frame = table(rows)
    with tempfile.TemporaryDirectory() as name:
        file, out = Path(name, "table.parquet"), Path(name, "model")
        frame.to_parquet(file)
        command = [sys.executable, "-m", "endd", "fit", str(file), "--target", "target", "--out", str(out)]
        taken = seconds(lambda: subprocess.run([*command, "--progress", "none"], check=True, capture_output=True))
        records = json.loads((out / "metrics.json").read_text())["records"]
    scores = {(r["model"], r["metric"]): r["value"] for r in records}
    row = {
        "rows": rows,
        "seconds": round(taken, 1),
        "boosting seconds": round(boosted(frame), 1),
        "least possible rmse": round(float(0.5 * np.exp(0.25)), 3),
    }
    for model in ("single", "ensemble", "distilled"):
        row |= {f"{model} {metric}": round(scores[model, metric], 4) for metric in ("rmse", "nll")}
    write("fit", [row])
