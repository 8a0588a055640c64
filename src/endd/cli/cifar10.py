"""`endd reproduce cifar10`: the paper's images, and every method that it compares with."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from endd.cli.app import Progress, tell, write_study
from endd.cli.place import HERE, Place
from endd.cli.reproduce import add_row_of, refuse_beside_method, reproduce, save_stepwise

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
        learns briefly, "outside" one that also sees corrupted images, "late" one that sees the same images as they
        are, "samplers" MC dropout and SVI. By default those of the preset: all in "full" and "smoke", the first in the
        others. One that is named later is added to the folder.
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
        For a machine without a GPU: let students of --method, or of the groups "outside" and "late", start from a
        member and learn as briefly as distilled_warm does, beside which they then stand.
    teacher
        A folder of this study whose members teach, such as results/cifar10, if it is not `out`. Members of repeats that
        it lacks are trained and put there.
    progress
        How to tell how far training is; "auto" is a bar on a terminal and lines elsewhere.
    """
    from dataclasses import replace

    from endd.studies import check_folder
    from endd.studies.cifar10 import PRESETS, STUDY, evaluate_outputs, run_stepwise
    from endd.studies.cifar10_config import LATE
    from endd.studies.cifar10_folder import check_settings

    if method is not None:
        from endd.studies.cifar10_own import add_row

        if keep_outputs or from_outputs is not None:
            option = "--keep-outputs" if keep_outputs else "--from-outputs"
            raise ValueError(f"Expected --method without {option}: outputs of a v of your own cannot be read back.")
        given = {"preset": preset, "seeds": seeds, "first_seed": first_seed, "groups": groups, "models": models}
        refuse_beside_method(cifar10, **given, **vars(place))
        where = data, device, teacher, warm
        return add_row_of(STUDY, out, method, lambda before: add_row(before, method, out, progress, *where))
    if warm and ({*LATE}.isdisjoint(groups or PRESETS[preset].groups) or from_outputs is not None):
        raise ValueError(
            "Expected --warm with --method or a group whose students may start from a member, but got neither. Add "
            f"--groups {' '.join(LATE)}, or leave it out: those of --groups warm do so anyway."
        )
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
    config = replace(config, models=models, groups=groups or config.groups, late_warm=warm)
    engine = place.as_engine()
    save_stepwise(
        STUDY,
        out,
        lambda before: run_stepwise(config, out, progress, data, device, before, keep_outputs, engine, teacher),
    )
