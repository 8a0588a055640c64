"""`endd fit`, `endd predict` and `endd evaluate`: from a table to a distilled model and back."""

import contextlib
import ctypes
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from endd.cli.app import Progress, app, tell, write_study

if TYPE_CHECKING:
    from endd.streaming import Estimator

# Options of glibc's malloc.
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3


@app.command
def fit(
    table: Path,
    /,
    *,
    target: str,
    out: Path,
    task: Literal["auto", "regression", "classification"] = "auto",
    members: Annotated[int, Parameter(validator=Number(gte=1))] = 10,
    test_share: Annotated[float, Parameter(validator=Number(gt=0, lt=1))] = 0.2,
    seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    drop: Annotated[tuple[str, ...], Parameter(consume_multiple=True)] = (),
    strict: bool = False,
    encoding: str = "utf-8",
    epochs: Annotated[int | None, Parameter(validator=Number(gte=1))] = None,
    student_epochs: Annotated[int | None, Parameter(validator=Number(gte=1))] = None,
    progress: Progress = "auto",
) -> None:
    """Train an ensemble on a table, distil it into one network, and try both on rows that were held out.

    Parameters
    ----------
    table
        A CSV (also .gz) or Parquet file. Missing numbers, text, categories and dates may stand in it.
    target
        The column to predict.
    out
        The folder to write: the model, its numbers, tables, figures and a page.
    task
        "auto" takes text, true and false, and up to 20 different whole numbers for classes.
    members
        Networks of the ensemble.
    test_share
        The part of the rows that is held out.
    seed
        Of the held out rows and of training.
    drop
        Columns to leave out.
    strict
        Refuse missing and unseen values that training did not prepare for.
    encoding
        Of a CSV file.
    epochs
        Of the ensemble; by default as many as the size of the table asks for.
    student_epochs
        Of the student, likewise.
    progress
        How to tell how far things are; "auto" is a bar on a terminal and lines elsewhere.
    """
    from endd.data.files import TableFile
    from endd.studies import check_folder
    from endd.studies.table import STUDY, Config, run

    check_folder(out, STUDY)
    config = Config(
        *(table.name, target, task, members, test_share, seed, drop, strict, epochs, student_epochs),
    )
    result, model = run(config, TableFile(table, encoding), progress)
    print(write_study(result, out, model))
    tell(out)


@app.command
def predict(
    model: Path,
    table: Path,
    /,
    *,
    out: Annotated[Path, Parameter(alias="-o")],
    interval: bool = True,
    keep: Annotated[tuple[str, ...], Parameter(consume_multiple=True)] = (),
    strict: bool = False,
    encoding: str = "utf-8",
    progress: Progress = "auto",
) -> None:
    """Write what a fitted model says about every row of a table: prediction, uncertainties, a 95 % interval.

    Parameters
    ----------
    model
        The folder that `endd fit` or endd.save wrote.
    table
        A CSV (also .gz) or Parquet file of any size with the columns of training.
    out
        The CSV or Parquet file to write.
    interval
        Whether a regression gets the columns lower and upper, which cost most of the time.
    keep
        Columns of the table to copy, such as a key.
    strict
        Refuse missing and unseen values that training did not prepare for.
    encoding
        Of a CSV file.
    progress
        How to tell how far things are; "auto" is a bar on a terminal and lines elsewhere.
    """
    from endd.data.files import TableFile
    from endd.streaming import predict_file

    source, workers = TableFile(table, encoding), _one_thread_each()
    estimator = _load(model, strict)
    rows = predict_file(estimator, source, out, interval=interval, keep=keep, workers=workers, progress=progress)
    print(f"Wrote {rows} rows to {out}.")


@app.command
def evaluate(
    model: Path,
    table: Path,
    /,
    *,
    target: str | None = None,
    out: Path | None = None,
    strict: bool = False,
    encoding: str = "utf-8",
    progress: Progress = "auto",
) -> None:
    """Print how good a fitted model is on a table with the target in it.

    Parameters
    ----------
    model
        The folder that `endd fit` or endd.save wrote.
    table
        A CSV (also .gz) or Parquet file with the columns of training and the target.
    target
        The column that was predicted; by default the one that `endd fit` was given.
    out
        A folder for the numbers, tables, figures and a page.
    strict
        Refuse missing and unseen values that training did not prepare for.
    encoding
        Of a CSV file.
    progress
        How to tell how far things are; "auto" is a bar on a terminal and lines elsewhere.
    """
    from endd.data.files import TableFile
    from endd.report.table import table_report
    from endd.studies import check_folder
    from endd.studies.fidelity_files import settings_of_fit
    from endd.studies.table import EVALUATION, try_table

    if out is not None:
        check_folder(out, EVALUATION)
    settings = settings_of_fit(model)
    target = target or settings.get("target")
    if target is None:
        raise ValueError(f"Expected the name of the target, but {model} does not say it. Pass --target.")
    result = try_table(_load(model, strict), settings, TableFile(table, encoding), target, progress)
    if out is None:
        print(table_report(result).markdown())
        return
    print(write_study(result, out))
    tell(out)


def _one_thread_each() -> int:
    """Let torch use one thread, keep memory that was used once, and return how many cores there are.

    Rows are many and networks small: cores that each have rows of their own need not wait for each other after every
    layer. glibc would give large blocks back to the system and ask for them again, thousands of times a second.
    """
    import torch

    torch.set_num_threads(1)
    with contextlib.suppress(OSError, AttributeError, TypeError):  # where there is no glibc
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(TRIM_THRESHOLD, 1 << 28)
        mallopt(MMAP_THRESHOLD, 1 << 25)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _load(folder: Path, strict: bool) -> "Estimator":
    """The estimator that a folder holds."""
    from endd.estimators import DistilledClassifier, DistilledRegressor
    from endd.persistence import load

    model = load(folder)
    if not isinstance(model, DistilledRegressor | DistilledClassifier):
        raise ValueError(
            f"Expected a model that `endd fit` made in {folder}, but got a bare {type(model).__name__}, which knows "
            "nothing of tables. Use endd.load in Python."
        )
    return model.set_params(strict=True) if strict else model
