"""`python -m benchmarks [NAME ...] [--rows N]`: all benchmarks, or those named; N is that of `predict` and `fit`."""

import argparse
import importlib

NAMES = (
    *("examples", "cascade", "imports", "overhead", "stacking", "training"),
    *("cores", "uci", "predict", "fit", "images", "draws", "steps", "export", "scale"),
)

parser = argparse.ArgumentParser(prog="python -m benchmarks")
parser.add_argument("names", nargs="*", choices=[[], *NAMES], metavar="NAME", help=", ".join(NAMES))
parser.add_argument("--rows", type=int, help="rows in `predict` (10 million by default) and `fit` (200,000)")

if __name__ == "__main__":  # not in the processes that a benchmark starts
    given = parser.parse_args()
    for name in given.names or NAMES:
        options = {"rows": given.rows} if name in ("predict", "fit") and given.rows else {}
        importlib.import_module(f"benchmarks.{name}").main(**options)
