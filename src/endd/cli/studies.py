"""`endd reproduce` and `endd demo`: the studies of the paper."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import cyclopts
from cyclopts import Parameter
from cyclopts.validators import Number

from endd.cli.app import Progress, app, tell, write_study
from endd.cli.place import HERE, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from endd.studies import Result

reproduce = cyclopts.App(name="reproduce", help="Run a study of the paper and write its numbers, figures and page.")
app.command(reproduce)


@reproduce.command
def toy(
    *,
    preset: Literal["converged", "paper"] = "converged",
    seeds: Annotated[int, Parameter(validator=Number(gte=1))] = 20,
    first_seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    together: Annotated[int, Parameter(validator=Number(gte=1))] = 20,
    out: Path = Path("results/toy"),
    resume: bool = False,
    method: str | None = None,
    teacher: Path | None = None,
    place: Place = HERE,
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
    together
        How many repeats train side by side. Each such group is a part that an engine runs; the order of batches, and
        with it every number, depends on this and not on the engine.
    out
        The folder to write, after every part. One that holds the toy study already is overwritten.
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

    from endd.studies.toy import PRESETS, STUDY, run_stepwise

    if method is not None:
        from endd.studies.toy_own import add_row

        return _add_row(STUDY, out, method, lambda before: add_row(before, method, teacher, progress))
    config = replace(PRESETS[preset], seeds=seeds, first_seed=first_seed, together=together)
    engine = place.as_engine()
    _write_stepwise(STUDY, out, resume, lambda before: run_stepwise(config, progress, before, engine))


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
    out = out or Path("results", "uci", splits if preset == "converged" else f"{splits}-{preset}")
    if method is not None:
        from endd.studies.uci_own import add_row

        return _add_row(STUDY, out, method, lambda before: add_row(before, method, teacher, progress, data))
    engine = place.as_engine()
    _write_stepwise(STUDY, out, resume, lambda before: run_stepwise(config, progress, data, before, engine))


#: Models of the CIFAR-10 study that train together.
Group = Literal["students", "rivals", "dense", "symmetric", "long", "warm", "outside", "late", "samplers"]


@reproduce.command
def cifar10(
    *,
    preset: Literal["smoke", "short", "standard", "full"] = "standard",
    device: str | None = None,
    data: Path | None = None,
    seeds: Annotated[int | None, Parameter(validator=Number(gte=1))] = None,
    first_seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    groups: Annotated[tuple[Group, ...], Parameter(consume_multiple=True)] = (),
    models: Annotated[tuple[str, ...], Parameter(consume_multiple=True)] = (),
    out: Path = Path("results/cifar10"),
    from_outputs: Path | None = None,
    keep_outputs: bool = False,
    method: str | None = None,
    warm: bool = False,
    teacher: Path | None = None,
    place: Place = HERE,
    progress: Progress = "auto",
) -> None:
    """The images of Figure 3: CIFAR-10, clean and corrupted, with every method that the paper compares.

    Members, students and numbers are kept in the folder as they are made: a run that was killed goes on after them.
    Members of a repeat are a part that an engine runs, and so are students that train side by side; on one GPU these
    train together anyway.

    Parameters
    ----------
    preset
        "full" is five repeats and needs a large GPU; "standard" is one of them; "short" does without a GPU, with the
        members of --teacher: students that learn briefly, to be compared with each other; "smoke" tries everything on
        a few hundred images in seconds.
    device
        Where to train, such as cuda or cpu; by default the first GPU if there is one.
    data
        A folder that holds cifar10/, svhn/ and frost/; without it the environment variable ENDD_DATA. CIFAR-10 is
        downloaded where there is neither.
    seeds
        How many repeats, if not as many as the preset has.
    first_seed
        The first of them.
    groups
        Which models: "students" are those of the paper, "rivals" other distillers, "dense" a student of as many
        parameters in another network, "symmetric" one that looks at mirror images too, with the members asked about
        these as well, "long" one that learns for four times as many epochs, "warm" one that starts from a member and
        learns briefly, "outside" one that does so too and also sees corrupted images, "late" one that sees the same
        images as they are, "samplers" MC dropout and SVI. By default those of the preset: all in "full" and "smoke",
        the first in the others. One that is named later is added to the folder.
    models
        Which models of these groups; by default all.
    out
        The folder to write. Models and repeats that it holds already are not made again.
    from_outputs
        A file of kept outputs (outputs.npz of such a folder): these are evaluated, and nothing is trained.
    keep_outputs
        Keep what every model says about every test image, not only about a few.
    method
        FILE.py:NAME, a method of your own: it is trained on the study's members, and its row is added.
    warm
        With --method, let its students start from a member and learn as briefly as distilled_warm does, beside which
        they then stand: for a machine without a GPU.
    teacher
        A folder of this study whose members teach, such as results/cifar10, if it is not `out`. Members of repeats that
        it lacks are trained and put there.
    progress
        How to tell how far training is; "auto" is a bar on a terminal and lines elsewhere.
    """
    from dataclasses import replace

    from endd.studies import check_folder
    from endd.studies.cifar10 import PRESETS, STUDY, evaluate_outputs, run_stepwise
    from endd.studies.cifar10_folder import check_settings

    if method is not None:
        from endd.studies.cifar10_own import add_row

        if keep_outputs or from_outputs is not None:
            option = "--keep-outputs" if keep_outputs else "--from-outputs"
            raise ValueError(f"Expected --method without {option}: outputs of a v of your own cannot be read back.")
        where = data, device, teacher, warm
        return _add_row(STUDY, out, method, lambda before: add_row(before, method, out, progress, *where))
    if warm:
        raise ValueError("Expected --warm with --method, but got it alone. Those of the study: --groups warm.")
    check_folder(out, STUDY)
    if from_outputs is not None:
        result = evaluate_outputs(from_outputs)
        check_settings(out, result.config)  # numbers of a few rows do not take the place of a whole study's
        print(write_study(result, out))
        return tell(out)
    if preset == "short" and teacher is None:
        raise ValueError(
            "Expected --teacher with --preset short, which trains no members, but got none. Name the folder of a "
            "whole study, such as results/cifar10."
        )
    config = replace(PRESETS[preset], first_seed=first_seed)
    config = config if seeds is None else replace(config, seeds=seeds)
    config = replace(config, models=models, groups=groups or config.groups)
    engine = place.as_engine()
    save_stepwise(
        STUDY,
        out,
        lambda before: run_stepwise(config, out, progress, data, device, before, keep_outputs, engine, teacher),
    )


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
    _write_stepwise(STUDY, out, resume, lambda before: run_stepwise(config, progress, data, before, engine))


@app.command
def leaderboard(folder: Path, /, *, metric: str = "nll") -> None:
    """All models of a study in one order, rows of your own among them, with a picture.

    Parameters
    ----------
    folder
        The folder of a study, such as results/toy.
    metric
        The score to sort by.
    """
    from endd.report import write_leaderboard

    tables, picture = write_leaderboard(folder, metric)
    print(tables)
    print(f"Wrote {folder / 'leaderboard.md'} and {picture}.")


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

    import torch

    from endd.studies.toy import PRESETS, STUDY, run_stepwise

    torch.set_num_threads(1)  # ten small networks: a second core would mostly wait for the first
    config = PRESETS["converged"]
    shorter = replace(config.student, epochs=max(config.student.epochs // 5, 1))
    small = replace(config, seeds=1, weights=(), labelled=False, student=shorter)
    _write_stepwise(STUDY, out, False, lambda before: run_stepwise(small, progress))


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


def _add_row(study: str, out: Path, method: str, add: "Callable[[Result], Result]") -> None:
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


def _write_stepwise(study: str, out: Path, resume: bool, run: "Callable[[Result | None], Iterator[Result]]") -> None:
    """Write what is found after every part; with `resume`, go on from what the folder holds."""
    from endd.studies import Result, check_folder

    check_folder(out, study)
    before = Result.load(out) if resume and (out / "metrics.json").exists() else None
    for result in run(before):
        table = write_study(result, out)
    print(table)
    tell(out)
