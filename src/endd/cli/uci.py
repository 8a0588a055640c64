"""`endd reproduce uci`: the paper's five tables."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from endd.cli.app import Progress
from endd.cli.place import HERE, Place
from endd.cli.reproduce import add_row_of, check_teacher_is_used, refuse_beside_method, reproduce, write_stepwise


@reproduce.command
def uci(
    *,
    splits: Literal["kfold5", "published20"] = "kfold5",
    preset: Literal["converged", "paper"] = "converged",
    datasets: Annotated[tuple[str, ...], Parameter(consume_multiple=True)] = (),
    data: Path | None = None,
    seeds: Annotated[int, Parameter(validator=Number(gte=1))] = 1,
    first_seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    together: Annotated[int, Parameter(validator=Number(gte=1))] = 20,
    out: Path | None = None,
    resume: bool = False,
    method: str | None = None,
    teacher: Path | None = None,
    place: Place = HERE,
    progress: Progress = "auto",
) -> None:
    """The UCI regression sets of Table 1: ensemble, students, a single network and boosted trees.

    Parameters
    ----------
    splits
        Five shuffled folds, or the 20 published splits of 90 to 10.
    preset
        "paper" trains by the paper's text; "converged" trains members and students until they have learnt.
    datasets
        Their names; without any, the five of the paper.
    data
        A folder that holds uci/NAME.npz; without it the environment variable ENDD_DATA, and without that a download.
    seeds
        How many times over all splits.
    first_seed
        The first of them.
    together
        How many splits of a data set train side by side. Each such group is a part that an engine runs; the order of
        batches, and with it every number, depends on this and not on the engine.
    out
        The folder to write, by default results/uci/SPLITS. It is written after every part; one that holds the UCI
        study already is overwritten.
    resume
        Keep the parts that the folder holds already, and run the others; --seeds may be more than before.
    method
        FILE.py:NAME, a method of your own: it is trained on the teachers of the study in `out`, and its row is added.
    teacher
        With --method, a folder of those teachers; where there are none they are trained again and put there.
    progress
        How to tell how far training is; "auto" is a bar on a terminal and lines elsewhere.
    """
    from dataclasses import replace

    from endd.studies.uci import PRESETS, STUDY, run_stepwise

    config = replace(PRESETS[preset], splits=splits, seeds=seeds, first_seed=first_seed, together=together)
    if datasets:
        config = replace(config, datasets=datasets)
    named, out = out, out or Path("results", "uci", splits if preset == "converged" else f"{splits}-{preset}")
    if method is not None:
        from endd.studies.uci_own import add_row

        given = {"datasets": datasets, "seeds": seeds, "first_seed": first_seed, "together": together}
        which = {} if named is None else {"splits": splits, "preset": preset}  # else they say which folder is meant
        refuse_beside_method(uci, **given, **which, resume=resume, **vars(place))
        return add_row_of(STUDY, out, method, lambda before: add_row(before, method, teacher, progress, data))
    check_teacher_is_used(teacher)
    engine = place.as_engine()
    write_stepwise(STUDY, out, resume, lambda before: run_stepwise(config, progress, data, before, engine))
