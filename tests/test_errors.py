"""Errors of our own at the command line."""

import sys

import pytest

from endd import cli
from endd._errors import TrainingDivergedError


def test_a_training_that_went_nan_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(arguments: list[str]) -> None:
        raise TrainingDivergedError("Expected finite losses,\nbut member 1 went NaN.")

    monkeypatch.setattr(cli, "app", fails)
    monkeypatch.setattr(sys, "argv", ["endd", "fit"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    assert capsys.readouterr().err == "endd: Expected finite losses, but member 1 went NaN.\n"
