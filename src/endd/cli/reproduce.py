"""`endd reproduce`, and what its studies share: how a folder is gone on with, written and added to."""

from pathlib import Path
from typing import TYPE_CHECKING

import cyclopts

from endd.cli.app import app, tell, write_study

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from endd.studies import Result

reproduce = cyclopts.App(name="reproduce", help="Run a study of the paper and write its numbers, figures and page.")
app.command(reproduce)


def save_stepwise(study: str, out: Path, run: "Callable[[Result | None], Iterator[Result]]") -> None:
    """Go on from what the folder holds, save the numbers after every step, and draw at the end: that takes longer."""
    import sys
    from dataclasses import replace

    from endd.studies import Result, study_folder

    before = Result.load(out) if (out / "metrics.json").exists() else None
    command = " ".join(["endd", *sys.argv[1:]])
    for result in run(before):
        last = replace(result, config=result.config | {"command": command})
        with study_folder(out, study) as folder:
            last.save(folder)
    print(write_study(last, out))
    tell(out)


def add_row_of(study: str, out: Path, method: str, add: "Callable[[Result], Result]") -> None:
    """Add a row to the study in a folder, and write it again."""
    from endd.studies import Result, check_folder
    from endd.studies.user_file import blaming

    check_folder(out, study)
    if not (out / "metrics.json").exists():
        raise FileNotFoundError(
            f"Expected the results of the study {study!r} in {out} to add a row to, but there are none. Run it first."
        )
    before, file = Result.load(out), Path(method.rpartition(":")[0])
    with blaming(file, f"{method} to train students", inside=True):
        after = add(before)
    print(write_study(after, out))
    tell(out)


def write_stepwise(study: str, out: Path, resume: bool, run: "Callable[[Result | None], Iterator[Result]]") -> None:
    """Write what is found after every part; with `resume`, go on from what the folder holds."""
    from endd.studies import Result, check_folder

    check_folder(out, study)
    before = Result.load(out) if resume and (out / "metrics.json").exists() else None
    for result in run(before):
        table = write_study(result, out)
    print(table)
    tell(out)
