"""Running the command, and what it says."""

from collections.abc import Callable

import pytest

#: Runs `endd` with arguments and returns its exit code: the fixture `run`.
Run = Callable[..., int]


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    """What is said where the input is wrong."""
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("endd: ")
    return line
