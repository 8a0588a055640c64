"""The command itself, and studies at their smallest for it to run."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from endd import report
from endd.cli import main
from endd.cli.app import write_study
from endd.studies import cifar10, toy, uci
from tests.cli.running import Run
from tests.studies.small_pictures import TINY


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command; returns its exit code."""

    def command(*arguments: Any) -> int:
        monkeypatch.setattr(sys, "argv", ["endd", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
        return int(done.value.code or 0)

    return command


@pytest.fixture(scope="session")
def model(priced: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fitted folder."""
    folder = tmp_path_factory.mktemp("fitted") / "model"
    write_study(*priced[:1], folder, priced[1])
    return folder


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    for study in (toy, uci):
        monkeypatch.setattr(study, "PRESETS", {name: config.smoke() for name, config in study.PRESETS.items()})


@pytest.fixture
def cifar10_of(tmp_path: Path, small_pictures: None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command for the CIFAR-10 study at its smallest, with one line for a report: its figures take a while."""
    monkeypatch.setattr(report, "write_report", lambda folder: "the tables")
    monkeypatch.setattr(cifar10, "PRESETS", {"smoke": TINY, "standard": replace(TINY, preset="standard", members=3)})
    return ["reproduce", "cifar10", "--preset", "smoke", "--progress", "none", "--data", "anywhere"]
