"""A run folder says what ran; a killed run goes on from it as if nothing had happened."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO

import pytest
import torch

import endd
from endd._files import StorageError
from endd.families import Gaussian
from endd.nn import MLP
from endd.training import distill, fit_ensemble
from endd.training.run_folder import RunFolder

X = torch.linspace(-1, 1, 40).reshape(20, 2)
Y = X.sum(1)


def fit(run: Path, **options: Any) -> endd.Ensemble:
    torch.manual_seed(3)
    ensemble = endd.Ensemble([MLP(2, [4], 2) for _ in range(2)], Gaussian())
    fit_ensemble(ensemble, (X, Y), run=run, **{"epochs": 4, "batch_size": 8, "progress": "none", **options})
    return ensemble


def rows_in(run: Path) -> list[dict[str, str]]:
    with (run / "metrics.csv").open() as stream:
        return list(csv.DictReader(stream))


# -- what is in it -------------------------------------------------------------------------------------------------


def test_metrics_have_a_row_an_epoch(tmp_path: Path) -> None:
    torch.manual_seed(3)
    ensemble = endd.Ensemble([MLP(2, [4], 2)], Gaussian())
    history = fit_ensemble(ensemble, (X, Y), validation=(X, Y), run=tmp_path / "run", epochs=3, progress="none")
    rows = rows_in(tmp_path / "run")
    assert [row.pop("epoch") for row in rows] == ["1", "2", "3"]
    assert [{name: float(value) for name, value in row.items()} for row in rows] == history.rows
    assert history.rows[0].keys() == {"loss", "learning_rate", "validation"}


def test_the_config_holds_every_setting(tmp_path: Path) -> None:
    fit(tmp_path / "run", clip=2.0, loss="faithful")
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    expected = {
        "kind": "ensemble",
        "members": 2,
        "loss": "faithful",
        "epochs": 4,
        "batch_size": 8,
        "clip": 2.0,
        "seed": 0,
    }
    assert config | expected == config
    assert config["ema"] is None


def test_the_folder_says_where_it_was_made_and_when_it_is_over(tmp_path: Path) -> None:
    fit(tmp_path / "run")
    environment = json.loads((tmp_path / "run" / "environment.json").read_text())
    assert {"endd", "torch", "python", "machine", "command", "commit", "processes"} <= environment.keys()
    assert json.loads((tmp_path / "run" / "finished.json").read_text()) == {"epochs": 4}


def test_nothing_temporary_is_left(tmp_path: Path) -> None:
    fit(tmp_path / "run", checkpoint_seconds=0)
    assert {file.name for file in (tmp_path / "run").iterdir()} == {
        *("config.json", "environment.json", "metrics.csv", "checkpoint.pt", "finished.json")
    }


def test_a_used_folder_is_refused(tmp_path: Path) -> None:
    fit(tmp_path / "run")
    before = (tmp_path / "run" / "metrics.csv").read_bytes()
    with pytest.raises(FileExistsError, match=r"Expected a new or empty run folder.*resume=True"):
        fit(tmp_path / "run")
    assert (tmp_path / "run" / "metrics.csv").read_bytes() == before


def test_an_empty_folder_and_a_new_one_below_it_are_used(tmp_path: Path) -> None:
    fit(tmp_path)
    fit(tmp_path / "a" / "b", resume=True)
    assert len(rows_in(tmp_path)) == len(rows_in(tmp_path / "a" / "b")) == 4


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"epochs": 5}, "epochs was 4 and now is 5"),
        ({"learning_rate": 0.02}, "learning_rate was 0.01 and now is 0.02"),
        ({"loss": "faithful"}, "loss was 'nll' and now is 'faithful'"),
        ({"clip": 1.0}, "clip was None and now is 1.0"),
        ({"adversarial": 0.1}, "adversarial was None and now is 0.1"),
        ({"schedule": lambda *_: 1.0}, "schedule was 'one_cycle' and now is '<function"),
    ],
)
def test_a_run_goes_on_only_with_the_same_settings(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    fit(tmp_path / "run")
    with pytest.raises(ValueError, match=message):
        fit(tmp_path / "run", resume=True, **changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"epochs": 3},
        {"hold_out_share": 0.3},
        {"label_weight": 2.0},
        {"objective": 2 * endd.objectives.DistributionDistillation()},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_distillation_goes_on_only_with_the_same_settings(tmp_path: Path, changed: dict[str, Any]) -> None:
    student = endd.Student(MLP(2, [4], 5), Gaussian())
    common = {"epochs": 2, "hold_out": "inputs", "run": tmp_path / "run", "progress": "none"}
    distill(torch.randn(3, 20, 2), student, X, **common)
    with pytest.raises(ValueError, match=f"{next(iter(changed))} was .* and now is"):
        distill(torch.randn(3, 20, 2), student, X, **{**common, "resume": True, **changed})


def test_a_finished_run_gives_its_result_again(tmp_path: Path) -> None:
    first, again = fit(tmp_path / "run"), fit(tmp_path / "run", resume=True)
    pairs = zip(first.parameters(), again.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    assert len(rows_in(tmp_path / "run")) == 4


def test_every_kind_of_member_has_a_run_of_its_own(tmp_path: Path) -> None:
    weights = []
    for resume in (False, True):
        torch.manual_seed(3)
        ensemble = endd.Ensemble([MLP(2, [4], 2), torch.nn.Linear(2, 2)], Gaussian())
        fit_ensemble(ensemble, (X, Y), run=tmp_path / "run", resume=resume, epochs=3, progress="none")
        weights.append(list(ensemble.parameters()))
    assert all(torch.equal(a, b) for a, b in zip(*weights, strict=True))
    assert len(rows_in(tmp_path / "run")) == len(rows_in(tmp_path / "run" / "group1")) == 3


def test_functions_have_no_address_in_the_config(tmp_path: Path) -> None:
    settings = {"loss": lambda z: z, "schedule": X.sum, "objective": object(), "rate": 0.1}
    folder = RunFolder(tmp_path, settings)
    assert not any("0x" in str(value) for value in folder.config.values())
    assert folder.config["rate"] == 0.1


# -- crashes -------------------------------------------------------------------------------------------------------


def test_a_checkpoint_that_breaks_off_leaves_the_last_one_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder(tmp_path / "run", {}, seconds=0)
    folder.save({"epoch": 1})

    def breaks_off(state: Any, file: BinaryIO) -> None:
        file.write(b"half a file")
        raise OSError("no space left")

    monkeypatch.setattr(torch, "save", breaks_off)
    with pytest.raises(OSError, match="no space left"):
        folder.save({"epoch": 2})
    assert RunFolder(tmp_path / "run", {}, resume=True).load() == {"epoch": 1}


@pytest.mark.parametrize("resumed", [False, True])
def test_a_folder_that_goes_away_is_not_made_again(tmp_path: Path, resumed: bool) -> None:
    """Where a disk was mounted, nothing is written once it is gone."""
    folder = RunFolder(tmp_path / "disk" / "run", {})
    folder.row({"epoch": 1, "loss": 2.0})
    if resumed:
        folder = RunFolder(folder.path, {}, resume=True)
    (tmp_path / "disk").rename(tmp_path / "away")
    for write in (lambda: folder.row({"epoch": 2, "loss": 1.0}), lambda: folder.save({}), lambda: folder.finish(2)):
        with pytest.raises(StorageError, match=r"its folder is gone\. Bring it back and start again"):
            write()
    assert not (tmp_path / "disk").exists()
    assert len(rows_in(tmp_path / "away" / "run")) == 1


def test_best_weights_and_patience_outlive_an_interruption(tmp_path: Path) -> None:
    stop_at = 15  # in epoch 6, at three steps an epoch

    def schedule(step: int, total: int, per_epoch: int) -> float:
        if step == stop_at:
            raise KeyboardInterrupt
        return 1.0

    # the longer it trains, the worse it does on targets of the other sign
    options = {"epochs": 20, "patience": 9, "validation": (X, -Y), "schedule": schedule, "checkpoint_seconds": 0}
    with pytest.raises(KeyboardInterrupt):
        fit(tmp_path / "run", **options)
    stop_at = -1
    resumed, whole = fit(tmp_path / "run", resume=True, **options), fit(tmp_path / "whole", **options)
    assert all(torch.equal(a, b) for a, b in zip(resumed.parameters(), whole.parameters(), strict=True))
    losses = [float(row["validation"]) for row in rows_in(tmp_path / "run")]
    assert losses.index(min(losses)) < 5
    assert len(losses) < 20
    assert rows_in(tmp_path / "run") == rows_in(tmp_path / "whole")


def test_rows_after_the_checkpoint_are_cut_off(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run", {}, seconds=0)
    for epoch in (1, 2, 3):
        folder.row({"epoch": epoch, "loss": 0.5})
        if epoch < 3:
            folder.save({"epoch": epoch})
    RunFolder(tmp_path / "run", {}, resume=True).load()
    assert [row["epoch"] for row in rows_in(tmp_path / "run")] == ["1", "2"]


def test_rows_without_a_checkpoint_start_again(tmp_path: Path) -> None:
    run = tmp_path / "run"
    RunFolder(run, {}).row({"epoch": 1, "loss": 0.5})
    folder = RunFolder(run, {}, resume=True)
    assert folder.load() is None
    folder.row({"epoch": 1, "loss": 0.25})
    assert rows_in(run) == [{"epoch": "1", "loss": "0.25"}]


@pytest.mark.parametrize("name", ["checkpoint.pt", "config.json"])
@pytest.mark.parametrize("content", [None, b"", b"garbage"])
def test_damaged_files_are_named_and_stay(tmp_path: Path, name: str, content: bytes | None) -> None:
    folder = RunFolder(tmp_path / "run", {"epochs": 3})
    folder.save({"epoch": 2, "weights": torch.zeros(99)})
    file = tmp_path / "run" / name
    damaged = file.read_bytes()[:-20] if content is None else content
    file.write_bytes(damaged)
    with pytest.raises(
        ValueError, match=rf"{name}, but it is damaged .*delete {tmp_path / 'run'} to begin that run again"
    ):
        RunFolder(tmp_path / "run", {"epochs": 3}, resume=True).load()
    assert file.read_bytes() == damaged


def test_checkpoints_keep_their_distance_in_time(tmp_path: Path) -> None:
    assert not RunFolder(tmp_path / "rare", {}, seconds=1000).due()
    assert RunFolder(tmp_path / "often", {}, seconds=0).due()


# Trains one of the kinds. "slow" does so until somebody interrupts it. "finish" does each without interruption, then
# interrupts two children of its own, waits for the third run to be killed, and goes on with all three.
WORK = """
import os, signal, sys, time
from pathlib import Path

import torch
from torch import nn

import endd

FOLDER, ROWS, PAUSE = Path(sys.argv[1]), 4, 0.0
signal.signal(signal.SIGINT, signal.default_int_handler)


def schedule(step, total, per_epoch):
    time.sleep(PAUSE)
    return 1 - step / total


def inputs(count, generator):
    return 4 * torch.rand(count, 2, generator=generator) - 2


def train(kind, name, resume=False):
    torch.manual_seed(0)
    nets = [nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2)) for _ in range(3)]
    ensemble = endd.Ensemble(nets, endd.families.Gaussian())
    options = dict(epochs=20, batch_size=16, schedule=schedule, ema=0.9, progress="none")
    options |= dict(run=FOLDER / name, resume=resume, checkpoint_seconds=0)
    if kind == "students":
        net = nn.Sequential(nn.Linear(2, 8), nn.Dropout(0.1), nn.Linear(8, 5))
        student = endd.Student(net, ensemble.family)
        history = endd.distill(ensemble, student, inputs, samples=48, hold_out="inputs", **options)
        return student.state_dict(), history.rows, history.best_epoch
    x = inputs(60, torch.Generator().manual_seed(1))
    y = x.sum(1).sin()
    history = endd.fit_ensemble(ensemble, (x[20:], y[20:]), validation=(x[:20], y[:20]), **options)
    return ensemble.state_dict(), history.rows, history.best_epoch


def slowly(kind):
    global PAUSE
    PAUSE = 0.05
    train(kind, kind)


def interrupt(kind, how):
    child = os.fork()
    if child == 0:
        try:
            slowly(kind)
        finally:
            os._exit(1)
    metrics = FOLDER / kind / "metrics.csv"
    while not metrics.exists() or len(metrics.read_bytes().splitlines()) <= ROWS:
        time.sleep(0.01)
    os.kill(child, how)
    os.waitpid(child, 0)
    return len(metrics.read_bytes().splitlines()) - 1


if sys.argv[2] == "slow":
    slowly(sys.argv[3])
else:
    whole = {kind: train(kind, f"{kind}-whole") for kind in ("members", "students", "stopped")}
    seen = {"students": interrupt("students", signal.SIGKILL), "stopped": interrupt("stopped", signal.SIGINT)}
    while not (FOLDER / "killed").exists():
        time.sleep(0.01)
    seen["members"] = int((FOLDER / "killed").read_text())
    resumed = {kind: train(kind, kind, resume=True) for kind in seen}
    torch.save((seen, resumed, whole), FOLDER / "results.pt")
"""
Results = tuple[Path, dict[str, int], dict[str, Any], dict[str, Any]]


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Runs interrupted in their middle and resumed in another process, beside runs that were not."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "work.py").write_text(WORK)
    call = [sys.executable, str(folder / "work.py"), str(folder)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    with (
        subprocess.Popen([*call, "slow", "members"], env=environment) as slow,
        subprocess.Popen([*call, "finish"], env=environment) as finish,
    ):
        try:
            kill(slow, folder)
            assert finish.wait(120) == 0
        finally:
            slow.kill()
            finish.kill()
    return folder, *torch.load(folder / "results.pt", weights_only=True)


def kill(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Kill a run when a few epochs are done, and write down how many."""
    deadline = time.monotonic() + 120
    while not (folder / "members" / "metrics.csv").exists() or len(rows_in(folder / "members")) < 4:
        assert process.poll() is None, "the run ended by itself"
        assert time.monotonic() < deadline, "the run did not begin"
        time.sleep(0.01)
    process.kill()
    assert process.wait(60) == -signal.SIGKILL
    (folder / "killed.new").write_text(str(len(rows_in(folder / "members"))))
    (folder / "killed.new").rename(folder / "killed")


@pytest.mark.parametrize("kind", ["members", "students", "stopped"])
def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(kind: str, interrupted: Results) -> None:
    folder, seen, resumed, whole = interrupted
    assert 4 <= seen[kind] < 20
    (weights, rows, best), (whole_weights, whole_rows, whole_best) = resumed[kind], whole[kind]
    assert all(torch.equal(weights[name], whole_weights[name]) for name in whole_weights)
    assert rows == whole_rows
    assert best == whole_best
    assert (folder / kind / "metrics.csv").read_bytes() == (folder / f"{kind}-whole" / "metrics.csv").read_bytes()


def test_a_run_from_before_outlines_goes_on(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"epochs": 3}))
    RunFolder(tmp_path, {"epochs": 3, "data": "(4, 2) 1", "networks": "1 x 3"}, resume=True)
    with pytest.raises(ValueError, match="epochs was 3"):
        RunFolder(tmp_path, {"epochs": 4, "data": "(4, 2) 1"}, resume=True)
