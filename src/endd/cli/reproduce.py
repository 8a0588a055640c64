"""`endd reproduce`, and what its studies share: how a folder is gone on with, written and added to."""

from pathlib import Path
from typing import TYPE_CHECKING

import cyclopts

from endd._errors import TrainingDivergedError
from endd.cli.app import app, tell, write_study
from endd.cli.place import HERE

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
        last = replace(result, config=result.config | {"command": _made_by(command, before, result)})
        with study_folder(out, study) as folder:
            last.save(folder)
    print(write_study(last, out))
    tell(out)


def _made_by(command: str, before: "Result | None", after: "Result") -> str:
    """The commands that numbers come from, one after another; one that found none to make is not among them."""
    if before is None or "command" not in before.config:
        return command
    earlier = str(before.config["command"])
    new = after.records != before.records and command not in earlier.split(" && ")
    return f"{earlier} && {command}" if new else earlier


def refuse_beside_method(command: "Callable[..., None]", **given: object) -> None:
    """Raise if settings were chosen beside --method, whose study is made already: they would change nothing."""
    from inspect import signature

    usual = {name: option.default for name, option in signature(command).parameters.items()} | vars(HERE)
    named = [f"--{name.replace('_', '-')}" for name, value in given.items() if value != usual[name]]
    if named:
        raise ValueError(
            f"Expected --method without {' and '.join(named)}: its settings are those of the study in --out. Leave "
            "that out, or run the study with it first."
        )


def check_teacher_is_used(teacher: Path | None) -> None:
    """Raise if teachers were named for a study that trains its own."""
    if teacher is not None:
        raise ValueError("Expected --teacher with --method, but got it alone: the study trains its own teachers.")


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
    try:
        with blaming(file, f"{method} to train students", inside=True):
            after = add(before)
    except TrainingDivergedError as error:
        raise TrainingDivergedError(error.what, f"Correct the objective of {method}.") from error
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
