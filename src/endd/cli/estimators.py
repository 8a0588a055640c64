"""`endd reproduce estimators`: the scikit-learn estimators as they come."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from endd.cli.app import Progress
from endd.cli.place import HERE, Place
from endd.cli.reproduce import reproduce, write_stepwise


@reproduce.command
def estimators(
    *,
    datasets: Annotated[tuple[str, ...], Parameter(consume_multiple=True)] = (),
    splits: Annotated[int, Parameter(validator=Number(gte=2))] = 10,
    data: Path | None = None,
    out: Path = Path("results/estimators"),
    resume: bool = False,
    place: Place = HERE,
    progress: Progress = "auto",
) -> None:
    """The scikit-learn estimators with their defaults on eight tables, beside boosted trees.

    Data sets are the parts that an engine runs.

    Parameters
    ----------
    datasets
        Their names; without any, breast_cancer, digits and wine of scikit-learn and the five of the paper.
    splits
        How many random splits of each.
    data
        A folder that holds uci/NAME.npz; without it the environment variable ENDD_DATA, and without that a download.
    out
        The folder to write. It is written after every data set; one that holds this study already is overwritten.
    resume
        Keep the data sets that the folder holds already, and run the others.
    progress
        How to tell how far things are.
    """
    from dataclasses import replace

    from endd.studies.estimators import STUDY, Config, run_stepwise

    config = replace(Config(), splits=splits)
    config = replace(config, datasets=datasets) if datasets else config
    engine = place.as_engine()
    write_stepwise(STUDY, out, resume, lambda before: run_stepwise(config, progress, data, before, engine))
