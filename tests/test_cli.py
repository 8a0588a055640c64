"""The command line."""

import pytest

import endd
from endd.cli import app


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        app(["--version"])
    assert done.value.code == 0
    assert endd.__version__ in capsys.readouterr().out


def test_an_unknown_command_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        app(["destil"])
    assert done.value.code != 0
    assert "destil" in "".join(capsys.readouterr())
