"""The README's figures are those of the committed results, and its code runs."""

import json
import re
from pathlib import Path

import torch

import endd

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def _bench(name: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads((ROOT / "results" / "bench" / f"{name}.json").read_text())["rows"]
    return rows


def test_figures_come_from_results() -> None:
    overhead = {(row["student"], row.get("batch")): row for row in _bench("overhead")}
    added = overhead["ResNet-20, low rank", None]["added"]
    assert f"| {100 * float(str(added)):.1f} % |" in README
    assert f"| {overhead['75 units', 1024]['share']} |" in README
    assert f"| {_bench('imports')[0]['student / torch']} |" in README


def test_python_blocks_run() -> None:
    names = {
        "my_ten_networks": [torch.nn.Linear(3, 2) for _ in range(10)],
        "net": torch.nn.Linear(3, endd.num_outputs(endd.families.Gaussian())),
        "x": torch.randn(8, 3),
    }
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(block, names)
    assert names["loss"].isfinite()  # type: ignore[attr-defined]


def test_python_in_the_maths_runs() -> None:
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "maths.md").read_text(), re.DOTALL):
        exec(block, {"__name__": "docs"})
