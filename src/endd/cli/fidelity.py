"""`endd report`: may a student replace its ensemble?"""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from endd.cli.app import app


@app.command
def report(
    *,
    teacher: Path,
    student: Path,
    data: Path,
    target: str | None = None,
    out: Annotated[Path, Parameter(alias="-o")] = Path("report.html"),
    require: str | None = None,
    encoding: str = "utf-8",
) -> None:
    """One page that answers whether a student may replace its ensemble; the exit code is 1 where it may not.

    Parameters
    ----------
    teacher
        The folder of the ensemble, as endd.save or `endd fit` wrote it.
    student
        The folder of the student; one of `endd fit` holds both.
    data
        A CSV (also .gz) or Parquet file, or an .npz file with x, the inputs as both networks take them, and y, their
        targets, if there are any.
    target
        The column of the table that was predicted; by default the one that `endd fit` was given, if it is there.
    out
        The page to write.
    require
        What must hold, such as "kl_teacher<=kl_reference, rejection_overlap@10>=0.8"; a number of the page against
        another or against a value. By default the student must be as near to the ensemble as its halves to each other.
    encoding
        Of a CSV file.
    """
    from endd.report import fidelity_report
    from endd.studies.fidelity_files import read_data, read_pair
    from endd.studies.policy import DEFAULT

    pair = read_pair(teacher, student)
    x, y, columns, classes = read_data(data, pair, target, encoding)
    options = {"require": require or DEFAULT, "columns": columns, "classes": classes}
    found = fidelity_report(pair.teacher, pair.student, x, y, out, **options)
    print(found.text)
    print(f"Wrote {out}.")
    if not found.verdict:
        sys.exit(1)
