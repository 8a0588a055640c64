"""Results: read, written and compared."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from endd.studies.result import Record, Result, records_of
from endd.studies.statistics import estimate


def result() -> Result:
    random = np.random.default_rng(0)
    records = [
        Record(model, "toy", "test", seed, "nll", float(random.normal() + seed))
        for model in ("ensemble", "distilled")
        for seed in range(5)
    ]
    return Result("toy", {"seeds": 5}, {"torch": "2"}, records, {"x": np.linspace(0, 1, 3)})


def test_survives_the_disk(tmp_path: Path) -> None:
    ours = result()
    ours.save(tmp_path)
    back = Result.load(tmp_path)
    assert (back.study, back.config, back.environment) == ("toy", ours.config, ours.environment)
    for kept, record in zip(back.records, ours.records, strict=True):
        assert replace(kept, value=record.value) == record
        assert kept.value == pytest.approx(record.value, rel=1e-6)
    assert np.array_equal(back.curves["x"], ours.curves["x"])
    assert json.loads((tmp_path / "config.json").read_text()) == {"seeds": 5}


def test_metrics_json_is_the_promised_shape(tmp_path: Path) -> None:
    result().save(tmp_path)
    found = json.loads((tmp_path / "metrics.json").read_text())
    assert list(found) == ["study", "config", "environment", "records"]
    assert list(found["records"][0]) == ["model", "dataset", "split", "seed", "metric", "value"]


def test_differences_are_paired() -> None:
    ours = result()
    a, b = ([*ours.values(model, "nll").values()] for model in ("distilled", "ensemble"))
    gap = ours.difference("distilled", "ensemble", "nll")
    expected = stats.ttest_rel(a, b).confidence_interval(0.95)
    assert gap is not None
    assert gap.mean - gap.half_width == pytest.approx(expected.low)
    assert gap.mean + gap.half_width == pytest.approx(expected.high)


def test_only_shared_seeds_are_compared() -> None:
    ours = result()
    ours.records.extend(records_of("few", "toy", "test", 3, {"nll": 10.0}))
    gap = ours.difference("few", "ensemble", "nll")
    assert gap is not None
    assert gap.count == 1
    assert gap.mean == 10.0 - ours.values("ensemble", "nll")["test", 3]


def test_what_is_not_there_is_none() -> None:
    assert result().estimate("ensemble", "ece") is None
    assert result().difference("ensemble", "single", "nll") is None


def test_two_data_sets_want_a_name() -> None:
    ours = result()
    ours.records.extend(records_of("ensemble", "other", "test", 0, {"nll": 7.0}))
    with pytest.raises(ValueError, match="Name the data set"):
        ours.values("ensemble", "nll")
    assert ours.values("ensemble", "nll", "other") == {("test", 0): 7.0}


def test_splits_are_repeats_too() -> None:
    records = [Record("ensemble", "yacht", f"fold{k}", 0, "nll", float(k)) for k in range(5)]
    assert Result("uci", {}, {}, records).estimate("ensemble", "nll") == estimate([0, 1, 2, 3, 4])


def test_results_on_different_data_sets_join() -> None:
    first, second = (
        Result("uci", {"members": 3, "datasets": [name]}, {}, [*records_of("ensemble", name, "fold0", 0, {"nll": 1.0})])
        for name in ("yacht", "kin8nm")
    )
    both = first.joined(second)
    assert both.datasets() == ["yacht", "kin8nm"]
    assert both.config == second.config
    with pytest.raises(ValueError, match=r"different repeats, but got \('yacht', \('fold0', 0\)\)"):
        both.joined(first)


def test_curves_of_repeats_grow() -> None:
    first, second = (
        Result("toy", {}, {}, [Record("ensemble", "toy", "test", seed, "nll", 1.0)], curves)
        for seed, curves in enumerate([{"x": np.zeros(3), "a_rows": np.zeros((1, 2))}, {"x": np.ones(3)}])
    )
    second.curves["a_rows"] = np.ones((2, 2))
    both = first.joined(second, ("_rows",))
    assert both.curves["x"].tolist() == [0, 0, 0]
    assert both.curves["a_rows"].tolist() == [[0, 0], [1, 1], [1, 1]]
    assert both.repeats() == {("toy", ("test", 0)), ("toy", ("test", 1))}


@pytest.mark.parametrize("file", ["metrics.json", "curves.npz"])
@pytest.mark.parametrize("content", [None, b"", b"garbage", b'{"study": "toy"}', b"PK\x03\x04"])
def test_damaged_files_are_named(tmp_path: Path, file: str, content: bytes | None) -> None:
    result().save(tmp_path)
    whole = (tmp_path / file).read_bytes()
    damaged = whole[: len(whole) // 2] if content is None else content
    (tmp_path / file).write_bytes(damaged)
    with pytest.raises(
        ValueError, match=rf"{file}, but it is damaged .*Bring it back, or delete it .*run the study again"
    ):
        Result.load(tmp_path)
    assert (tmp_path / file).read_bytes() == damaged


def test_curves_that_are_gone_are_named(tmp_path: Path) -> None:
    result().save(tmp_path)
    (tmp_path / "curves.npz").unlink()
    with pytest.raises(ValueError, match=r"curves\.npz, but it cannot be read \(No such file"):
        Result.load(tmp_path)


def test_no_nan_is_written(tmp_path: Path) -> None:
    bad = Result("toy", {}, {}, [Record("ensemble", "toy", "test", 0, "nll", float("nan"))])
    with pytest.raises(ValueError, match="Out of range float"):
        bad.save(tmp_path)


def test_reading_needs_no_torch() -> None:
    code = "import sys; from endd.studies import Result; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
