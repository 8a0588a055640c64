"""`endd reproduce toy` and `endd demo`: the paper's toy study, and the least of it."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from endd.cli.app import Progress, app
from endd.cli.place import HERE, Place
from endd.cli.reproduce import add_row_of, check_teacher_is_used, refuse_beside_method, reproduce, write_stepwise


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

        given = {"preset": preset, "seeds": seeds, "first_seed": first_seed, "together": together}
        refuse_beside_method(toy, **given, resume=resume, **vars(place))
        return add_row_of(STUDY, out, method, lambda before: add_row(before, method, teacher, progress))
    check_teacher_is_used(teacher)
    config = replace(PRESETS[preset], seeds=seeds, first_seed=first_seed, together=together)
    engine = place.as_engine()
    write_stepwise(STUDY, out, resume, lambda before: run_stepwise(config, progress, before, engine))


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
    write_stepwise(STUDY, out, False, lambda before: run_stepwise(small, progress))
