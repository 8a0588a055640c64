"""`endd reproduce frontier`: how good a model can be had for which cost."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from endd.cli.app import Progress
from endd.cli.reproduce import reproduce, save_stepwise

#: Models of the frontier that come together.
Group = Literal["ensembles", "singles", "students", "levers"]


@reproduce.command
def frontier(
    *,
    teacher: Path | None = None,
    preset: Literal["smoke", "small", "warm", "standard", "full"] = "standard",
    device: str | None = None,
    data: Path | None = None,
    seeds: Annotated[int | None, Parameter(validator=Number(gte=1))] = None,
    first_seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    groups: Annotated[tuple[Group, ...], Parameter(consume_multiple=True)] = (),
    levers: Annotated[tuple[str, ...], Parameter(consume_multiple=True)] = (),
    widths: Annotated[tuple[float, ...], Parameter(consume_multiple=True)] = (),
    epochs: Annotated[int | None, Parameter(validator=Number(gte=1))] = None,
    out: Path = Path("results/frontier"),
    progress: Progress = "auto",
) -> None:
    """What to deploy for a budget: ensembles, single networks and students of several widths beside one teacher.

    Models and numbers are kept in the folder as they are made: a run that was killed goes on after them.

    Parameters
    ----------
    teacher
        The folder of a CIFAR-10 study, whose members teach; by default results/cifar10. "small" and "smoke" without
        it train small ones of their own.
    preset
        "full" is three repeats and needs a large GPU; "standard" is one of them, and students of both start from
        members of --teacher, wide ones from several side by side; "small" is about small networks and does without a
        GPU, in some hours; "warm" does so too, with the members of --teacher and students of their width that start
        from one of them, levers included; "smoke" tries all but these on a few hundred images in seconds.
    device
        Where to train and to measure time, such as cuda or cpu; by default the first GPU if there is one.
    data
        A folder that holds cifar10/ and svhn/; without it the environment variable ENDD_DATA. CIFAR-10 is downloaded
        where there is neither.
    seeds
        How many repeats, if not as many as the preset has; each needs a teacher.
    first_seed
        The first of them.
    groups
        Which models: "ensembles" are parts of the teacher, "singles" learn from labels, "students" from the teacher,
        and at width 1 Hydra and, in "small" and "smoke", a dense one with them, "levers" are students with one setting
        changed. By default all but these, of "warm" all but "singles". One that is named later is added to the folder.
    levers
        Which of the levers, such as lever_ema and lever_push; by default all but the optimiser that students learn by
        anyway, of "warm" nine.
    widths
        Of single networks and students, as multiples of a member's; by default 1, 1.5, 2 and 4, of "warm" 1
        alone. One that is named later is added to the folder.
    epochs
        Of every student, if not as many as the preset has.
    out
        The folder to write. Models and repeats that it holds already are not made again.
    progress
        How to tell how far training is; "auto" is a bar on a terminal and lines elsewhere.
    """
    from dataclasses import replace

    from endd.studies import check_folder
    from endd.studies.frontier import PRESETS, STUDY, run_stepwise

    check_folder(out, STUDY)
    given = {"seeds": seeds, "groups": groups, "levers": levers, "widths": widths, "epochs": epochs}
    named = {name: value for name, value in given.items() if value}
    config = replace(PRESETS[preset], first_seed=first_seed, **named)  # type: ignore[arg-type]
    if levers and "levers" not in config.groups:
        raise ValueError(f"Expected --groups levers beside --levers {' '.join(levers)}, but got none. Add it.")
    if teacher is None and preset not in ("small", "smoke"):
        teacher = Path("results/cifar10")
    save_stepwise(STUDY, out, lambda before: run_stepwise(config, out, teacher, progress, data, device, before))
