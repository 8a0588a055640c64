"""A run knows where it takes place."""

import importlib.metadata
import subprocess
from pathlib import Path

import pytest

import endd
from endd.training.surroundings import git_commit, surroundings


def test_what_is_said_is_plain() -> None:
    said = surroundings()
    assert all(isinstance(value, str | int) for value in said.values())
    assert said["processes"] == 1


def test_a_copy_that_is_not_installed_runs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", unknown)
    assert surroundings()["endd"] == endd.__version__


def test_no_repository_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert git_commit() == ""


def test_a_commit_and_whether_files_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("a")
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "file"], [*who, "commit", "-qm", "a"]):
        subprocess.run(["git", *command], check=True)
    clean = git_commit()
    assert len(clean) == 40
    (tmp_path / "file").write_text("b")
    assert git_commit() == f"{clean}+"
