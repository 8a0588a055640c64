"""What importing costs: `import endd; endd.Student` at most 1.15 x `import torch`, and help without torch."""

import subprocess
import sys

from benchmarks.timing import milliseconds, ratio, take_turns, write


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def main() -> None:
    programs = {
        "import torch": "import torch",
        "import endd; endd.Student": "import endd; endd.Student",
        "endd --help": "from endd.cli import app\ntry: app(['--help'])\nexcept SystemExit: pass",
    }
    times = take_turns({name: lambda code=code: run(code) for name, code in programs.items()}, rounds=9)
    loads_torch = run(programs["endd --help"] + "\nimport sys; print('torch' in sys.modules)").strip().endswith("True")
    row = {
        "student / torch": round(ratio(times, "import endd; endd.Student", "import torch"), 3),
        "help / torch": round(ratio(times, "endd --help", "import torch"), 3),
        "help loads torch": loads_torch,
        "ms": milliseconds(times),
    }
    write("imports", [row])
