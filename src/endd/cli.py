"""The `endd` command. Anything that needs torch is imported inside a command."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import cyclopts
from cyclopts import Parameter
from cyclopts.validators import Number

from endd import __version__

if TYPE_CHECKING:
    from endd.studies.toy import Config

app = cyclopts.App(
    name="endd",
    version=__version__,
    help="Distil an ensemble of networks into one that keeps its prediction and both kinds of its uncertainty.",
)
reproduce = cyclopts.App(name="reproduce", help="Run a study of the paper and write its numbers, figures and page.")
app.command(reproduce)

Progress = Literal["auto", "bar", "lines", "none"]


@reproduce.command
def toy(
    *,
    preset: Literal["converged", "paper"] = "converged",
    seeds: Annotated[int, Parameter(validator=Number(gte=1))] = 20,
    first_seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    out: Path = Path("results/toy"),
    progress: Progress = "auto",
) -> None:
    """The toy regression of Figure 2: ensemble, distribution-distilled and mixture-distilled student.

    Parameters
    ----------
    preset
        "paper" trains by the paper's text; "converged" trains students until they have learnt.
    seeds
        How many repeats; intervals in the tables are over these.
    first_seed
        The first of them.
    out
        The folder to write. One that holds the toy study already is overwritten.
    progress
        How to tell how far training is; "auto" is a bar on a terminal and lines elsewhere.
    """
    from dataclasses import replace

    from endd.studies.toy import PRESETS

    _run_toy(replace(PRESETS[preset], seeds=seeds, first_seed=first_seed), out, progress)


@app.command
def demo(*, out: Path = Path("endd-demo"), progress: Progress = "auto") -> None:
    """The toy study with one seed and its two main students only: a table and the figures, in half a minute.

    Parameters
    ----------
    out
        The folder to write.
    progress
        How to tell how far training is; "auto" is a bar on a terminal and lines elsewhere.
    """
    from dataclasses import replace

    from endd.studies.toy import PRESETS

    config = PRESETS["converged"]
    shorter = replace(config.student, epochs=max(config.student.epochs // 4, 1))
    _run_toy(replace(config, seeds=1, weights=(), labelled=False, student=shorter), out, progress)


def _run_toy(config: "Config", out: Path, progress: Progress) -> None:
    from endd.report import write_report
    from endd.studies import check_folder, study_folder
    from endd.studies.toy import STUDY, run

    check_folder(out, STUDY)
    result = run(config, progress)
    with study_folder(out, STUDY) as folder:
        result.save(folder)
        table = write_report(folder)
    print(table)
    print(f"Wrote {out / 'report.html'}, and beside it the numbers, tables and figures.")


def main() -> None:
    """Entry point."""
    try:
        app(sys.argv[1:])
    except OSError as error:
        sys.exit(f"endd: {error}")
