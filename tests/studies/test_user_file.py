"""What goes wrong in a user's file."""

from pathlib import Path

import pytest

from endd.studies.user_file import UserFileError, blaming, check_takes, fingerprint, run_file


def written(folder: Path, content: str | bytes) -> Path:
    file = folder / "mine.py"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def test_a_file_is_run(tmp_path: Path) -> None:
    assert run_file(written(tmp_path, "x = 3\n")).x == 3


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("import math\n\ndef f(:\n", "line 3 raised SyntaxError: invalid syntax"),
        ("if True:\nx = 3\n", "line 2 raised IndentationError"),
        ("\nx = 1 / 0\n", "line 2 raised ZeroDivisionError: division by zero"),
        ("import no_such_package\n", "line 1 raised ModuleNotFoundError: No module named 'no_such_package'"),
        ("import json\njson.loads('')\n", "line 2 raised JSONDecodeError"),
        ("raise ValueError('one\\ntwo')\n", "line 1 raised ValueError: one two"),
        ("assert False\n", "line 1 raised AssertionError"),
        ("import sys\nsys.exit(0)\n", "line 2 raised SystemExit"),
        (b"x = '\xff'\n", "raised SyntaxError"),
        (b"x = 3\0\n", "raised SyntaxError"),
    ],
)
def test_what_it_raises_is_one_line_with_its_place(tmp_path: Path, content: str | bytes, named: str) -> None:
    file = written(tmp_path, content)
    with pytest.raises(UserFileError) as raised:
        run_file(file)
    line = str(raised.value)
    assert line.startswith(f"Expected {file} to run, but ")
    assert named in line
    assert line.endswith(f". Correct {file}.")
    assert len(line.splitlines()) == 1
    assert raised.value.__cause__ is not None  # for those who call it from Python


def test_it_is_a_module_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "a_helper_of_mine.py").write_text("x = 3\n")
    text = """
from __future__ import annotations
from dataclasses import dataclass
from a_helper_of_mine import x

@dataclass
class Mine:
    x: int = x
"""
    file = written(tmp_path, text)
    assert run_file(file).Mine().x == 3
    before = fingerprint(file)
    assert fingerprint(file) == before
    (tmp_path / "a_helper_of_mine.py").write_text("x = 4\n")
    assert fingerprint(file) != before


def test_what_is_no_python_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("x = 3")
    with pytest.raises(UserFileError, match=r"Name one that ends in \.py"):
        run_file(file)


def test_errors_elsewhere_are_left_as_they_are(tmp_path: Path) -> None:
    file = written(tmp_path, "def mine():\n    return 1 / 0\n")
    module = run_file(file)
    with pytest.raises(KeyError), blaming(file, "it to work", inside=True):
        raise KeyError("ours")
    named = "Expected it to work, but line 2 raised ZeroDivisionError"
    with pytest.raises(UserFileError, match=named), blaming(file, "it to work", inside=True):
        module.mine()


def test_arguments_are_counted() -> None:
    check_takes(lambda a, b=3: a, ("x",), "this", "")
    check_takes(int, ("x",), "this", "")
    with pytest.raises(
        UserFileError, match=r"Expected this, line \d+, to take \(x\), but it takes \(a, b\)\. Try again"
    ):
        check_takes(lambda a, b: a, ("x",), "this", "Try again.")
