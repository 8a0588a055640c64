"""The example splits what it says it does."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def test_epistemic_grows_outside_the_data(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "split.py"), run_name="__main__")
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    epistemic = {float(row[0]): float(row[-1]) for row in rows}
    assert epistemic[5.0] > 10 * epistemic[0.0]
