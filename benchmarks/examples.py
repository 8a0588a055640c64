"""How much of the ensemble's gain the students of the examples keep.

Claim: at least 90 % of what the ensemble gains in nll over a single network (the mean over its members), as the ratio
of the mean gains over ten seeds of splits, networks and batches. Settings were chosen on other splits of the same data,
by rows held out of their training parts.
"""

import runpy

from benchmarks.timing import ROOT, write
from endd.studies.statistics import ratio

SEEDS = range(10)
MODELS = ("single", "ensemble", "student")


def share(name: str) -> dict[str, object]:
    """One example with every seed: the nll of each model, both gains, and the share with its 95 % interval."""
    main = runpy.run_path(str(ROOT / "examples" / f"{name}.py"))["main"]
    tables = [main(seed=seed, progress="none") for seed in SEEDS]
    nll = {model: [table[model]["nll"] for table in tables] for model in MODELS}
    gains = {m: [a - b for a, b in zip(nll["single"], nll[m], strict=True)] for m in MODELS[1:]}
    kept = ratio(gains["student"], gains["ensemble"])
    return {
        "example": name,
        "share": round(kept.mean, 3),
        "half width": round(kept.half_width, 3),
        "mean gain": {model: round(sum(values) / len(values), 5) for model, values in gains.items()},
        "seeds": list(SEEDS),
        "nll": {model: [round(value, 5) for value in values] for model, values in nll.items()},
    }


def main() -> None:
    write("examples", [share(name) for name in ("digits", "diabetes")])
