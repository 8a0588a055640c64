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
    out: Annotated[Path, Parameter(alias="-o")] = Path("report.html"),
    require: str | None = None,
) -> None:
    """One page that answers whether a student may replace its ensemble; the exit code is 1 where it may not.

    Parameters
    ----------
    teacher
        The folder of the ensemble, as endd.save wrote it.
    student
        The folder of the student.
    data
        An .npz file with x, the inputs as both networks take them, and y, their targets, if there are any.
    out
        The page to write.
    require
        What must hold, such as "kl_teacher<=kl_reference, rejection_overlap@10>=0.8"; a number of the page against
        another or against a value. By default the student must be as near to the ensemble as its halves to each other.
    """
    from endd.report import render_fidelity
    from endd.studies.fidelity import fidelity
    from endd.studies.fidelity_files import read_inputs, read_pair
    from endd.studies.policy import DEFAULT

    ensemble, one = read_pair(teacher, student)
    x, y = read_inputs(data)
    result = fidelity(ensemble, one, x, y, require=require or DEFAULT)
    page, text = render_fidelity(result)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page)
    print(text)
    print(f"Wrote {out}.")
    if not result.config["verdict"]:
        sys.exit(1)
