"""The `endd` command."""

import os
import sys
import warnings
from typing import Any

from endd._errors import TrainingDivergedError
from endd.cli import (  # noqa: F401  (importing them registers their commands)
    cifar10,
    distill,
    estimators,
    export,
    fidelity,
    frontier,
    label,
    leaderboard,
    runs,
    tables,
    toy,
    uci,
)
from endd.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """Entry point: what is wrong with the input is one line, and the exit code 2."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show
            app(sys.argv[1:])
    except BrokenPipeError:
        # whoever read our output has gone, as `head` does; nothing is to be said to nobody
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ImportError, OSError, ValueError, TrainingDivergedError) as error:
        _say(error)
        sys.exit(2)


def _show(message: Warning | str, *_: Any, **__: Any) -> None:
    _say(message)


def _say(what: object) -> None:
    print(f"endd: {' '.join(str(what).split())}", file=sys.stderr)
