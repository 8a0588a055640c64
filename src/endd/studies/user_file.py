"""A Python file of the user's: it is run, and what goes wrong in it is one line that names the place."""

import hashlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class UserFileError(ValueError):
    """What is wrong with a user's file; what it raised itself is the cause."""


def run_file(file: Path) -> Any:
    """The module that a file makes; it may import others from its folder, as a script may."""
    spec = importlib.util.spec_from_file_location(f"user_file_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise UserFileError(f"Expected a Python file, but {str(file)!r} is none. Name one that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    if (folder := str(file.parent.resolve())) not in sys.path:
        sys.path.append(folder)
    sys.modules[spec.name] = module  # where dataclasses look for the names of their annotations
    with blaming(file, f"{file} to run"):
        spec.loader.exec_module(module)
    return module


def fingerprint(file: Path) -> str:
    """What tells a file that was run, with what it imported from its folder, from one that says something else."""
    folder, ours = file.parent.resolve(), Path(__file__).parents[1]
    loaded = {Path(name).resolve() for module in [*sys.modules.values()] if (name := getattr(module, "__file__", None))}

    def is_helper(one: Path) -> bool:
        installed = "site-packages" in one.parts or ours in one.parents
        return one.suffix == ".py" and folder in one.parents and not installed and one != file.resolve()

    texts = [one.read_bytes() for one in (file, *sorted(filter(is_helper, loaded)))]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:8]


@contextmanager
def blaming(file: Path, expected: str, *, inside: bool = False) -> Iterator[None]:
    """Whatever is raised is the file's fault, and told with its line where one took part.

    inside: only where one took part; all other errors are left as they are.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        line = line_of(error, file)
        if isinstance(error, UserFileError) or (inside and line is None):
            raise
        # a syntax error's own text repeats the place
        said = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
        place = "it" if line is None else f"line {line}"
        what = f"{type(error).__name__}: {said}".removesuffix(": ").removesuffix(".")
        raise UserFileError(f"Expected {expected}, but {place} raised {what}. Correct {file}.") from error


def line_of(error: BaseException, file: Path) -> int | None:
    """The last line of a file that took part in an error."""
    if isinstance(error, SyntaxError) and error.filename is not None and _same(error.filename, file):
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if _same(frame.filename, file)]
    return lines[-1] if lines else None


def check_takes(function: Callable[..., Any], arguments: tuple[str, ...], what: str, advice: str) -> None:
    """Raise unless a function can be called with so many arguments. what: what it is, in words."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # one of those in C that do not say
    try:
        signature.bind(*arguments)
    except TypeError:
        code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
        place = "" if code is None else f", line {code.co_firstlineno},"
        raise UserFileError(
            f"Expected {what}{place} to take ({', '.join(arguments)}), but it takes {signature}. {advice}"
        ) from None


def _same(name: str, file: Path) -> bool:
    return Path(name).resolve() == file.resolve()
