"""Runs of every kind are found, and damaged ones named."""

from pathlib import Path

import torch

import endd
from endd.nn import MLP
from endd.studies.result import Result
from endd.studies.runs import find_runs
from endd.training import distill
from tests.training.cache.caching import X, label


def test_runs_of_every_kind(tmp_path: Path, toy_result: Result) -> None:
    cache = label(tmp_path / "a" / "cache")
    student = endd.Student(MLP(2, [4], 5), endd.families.Gaussian())
    distill(cache, student, X, epochs=2, run=tmp_path / "b", progress="none")
    (tmp_path / "c").mkdir()
    toy_result.save(tmp_path / "c")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "manifest.json").write_text("{")
    found = {run.path.name: run for run in find_runs(tmp_path)}
    assert found["cache"].status == "finished, 7 of 7 shards"
    assert (found["b"].kind, found["b"].status) == ("distillation", "finished, 2 epochs")
    assert found["b"].numbers.startswith("loss ")
    assert found["c"].kind == "study toy"
    assert found["d"].status == "damaged"


def test_a_run_that_was_stopped_says_how_far_it_came(tmp_path: Path) -> None:
    student = endd.Student(MLP(2, [4], 5), endd.families.Gaussian())
    distill(torch.randn(3, 50, 2), student, X, epochs=2, run=tmp_path, progress="none")
    (tmp_path / "finished.json").unlink()
    (run,) = find_runs(tmp_path)
    assert run.status == "epoch 2 of 2"
