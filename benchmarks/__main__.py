"""`python -m benchmarks [NAME ...]`: all benchmarks, or those named."""

import importlib
import sys

NAMES = ("examples", "imports", "overhead", "stacking", "training", "uci")

for name in sys.argv[1:] or NAMES:
    importlib.import_module(f"benchmarks.{name}").main()
