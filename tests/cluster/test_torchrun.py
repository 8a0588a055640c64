"""One student in two processes learns what it learns in one."""

import csv
import json
from pathlib import Path

import pytest

from tests.cluster.conftest import here
from tests.cluster.jobs import EPOCHS, distill, distill_on_machines, kill_all, run, start, wait_until

pytestmark = pytest.mark.cluster


def losses(folder: Path) -> list[float]:
    with (folder / "run" / "metrics.csv").open() as stream:
        return [float(row["loss"]) for row in csv.DictReader(stream)]


def epochs(folder: Path) -> int:
    file = folder / "run" / "metrics.csv"
    return max(len(file.read_bytes().splitlines()) - 1, 0) if file.exists() else 0


def test_the_loss_curve_is_that_of_one_process(undisturbed: Path) -> None:
    one, two = losses(undisturbed / "one"), losses(undisturbed / "two")
    assert len(one) == EPOCHS
    assert two == pytest.approx(one, rel=1e-4)


def test_the_loss_curve_is_that_of_one_process_on_two_machines(undisturbed: Path) -> None:
    """By gloo, and where there is a GPU by nccl."""
    distill_on_machines(undisturbed, "cache", "machines")
    assert json.loads((undisturbed / "machines" / "run" / "environment.json").read_text())["processes"] == 2
    assert losses(undisturbed / "machines") == pytest.approx(losses(undisturbed / "one"), rel=1e-4)


def test_a_run_goes_on_with_another_number_of_processes(undisturbed: Path) -> None:
    job = start(distill(undisturbed, "cache", "changed", 2))
    wait_until(lambda: epochs(undisturbed / "changed") >= 2, job)
    kill_all(job)
    begun = epochs(undisturbed / "changed")
    assert 2 <= begun < EPOCHS
    here(distill(undisturbed, "cache", "changed"))
    assert losses(undisturbed / "changed") == pytest.approx(losses(undisturbed / "one"), rel=1e-4)


def test_pieces_and_mixed_precision_run_in_two_processes(undisturbed: Path) -> None:
    run(distill(undisturbed, "cache", "mixed", 2, "--precision", "bf16-mixed", "--accumulate", "2"))
    assert losses(undisturbed / "mixed") == pytest.approx(losses(undisturbed / "one"), rel=0.2)
