"""`endd distill`: a student from an ensemble or from a cache of what it said."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from endd.cli.app import Progress, app

if TYPE_CHECKING:
    from endd.models import Student

Positive = Annotated[int, Parameter(validator=Number(gte=1))]


@app.command
def distill(
    teacher: Path,
    inputs: Path | None = None,
    /,
    *,
    out: Annotated[Path, Parameter(alias="-o")],
    student: Path | None = None,
    hidden: Annotated[tuple[int, ...], Parameter(consume_multiple=True)] = (),
    epochs: Positive = 300,
    batch_size: Positive = 64,
    learning_rate: Annotated[float, Parameter(validator=Number(gt=0))] = 1e-2,
    seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    hold_out: Literal["none", "inputs"] = "none",
    members: Positive | None = None,
    memory: Annotated[float, Parameter(validator=Number(gt=0))] = 1.0,
    precision: str = "32-true",
    accumulate: Positive = 1,
    checkpoint_seconds: float = 30.0,
    encoding: str = "utf-8",
    progress: Progress = "auto",
) -> None:
    """Train a student on what an ensemble says, in one process or, under torchrun, in several; stopped, it goes on.

    torchrun --nproc-per-node 2 -m endd distill CACHE INPUTS --out DIR trains on two devices, to the same result.

    Parameters
    ----------
    teacher
        The folder of an ensemble, or one that `endd label` wrote.
    inputs
        As for `endd label`; none where the cache keeps its inputs.
    out
        The folder to write: the student, and in run/ its settings, metrics and checkpoints.
    student
        The folder of a student to begin with. By default its network is as a member's of the ensemble.
    hidden
        The widths of an MLP to begin with instead.
    epochs
        Passes over the inputs.
    batch_size
        Inputs in a step, of all processes together.
    learning_rate
        At its peak.
    seed
        Of the first weights and of the order of inputs.
    hold_out
        Whether some inputs are held out, on which the best weights are chosen.
    members
        How many members, drawn at random, teach a batch; by default all. For a cache.
    memory
        Gigabytes of a cache and its inputs that are in memory at once.
    precision
        As Lightning names it, such as bf16-mixed.
    accumulate
        Pieces in which each process takes its part of a batch.
    checkpoint_seconds
        The least time between checkpoints.
    encoding
        Of a CSV file.
    progress
        How to tell how far training is; "auto" is a bar on a terminal and lines elsewhere.
    """
    import torch

    import endd
    from endd._files import check_can_write
    from endd.training.processes import rank

    if not rank():
        check_can_write(out, "--out")
    torch.manual_seed(seed)
    source, rows, member = _source(teacher, inputs, members, int(memory * 2**30), encoding)
    model = _student(source, rows, member, student, hidden)
    options: dict[str, Any] = {"precision": precision, "accumulate": accumulate, "progress": progress}
    history = endd.distill(
        source,
        model,
        rows,
        epochs=epochs,
        batch_size=batch_size,
        learning_rate=learning_rate,
        seed=seed,
        hold_out=hold_out,
        run=out / "run",
        resume=True,
        checkpoint_seconds=checkpoint_seconds,
        **options,
    )
    if not rank():
        endd.save(model, out, history=history)
        print(f"Wrote the student to {out}.")


def _source(teacher: Path, inputs: Path | None, members: int | None, memory: int, encoding: str) -> tuple[Any, ...]:
    """Who teaches, on which inputs, and a network that may serve as a pattern."""
    from endd.cli.label import read_inputs_of
    from endd.persistence import load
    from endd.streaming import read_all, teacher_of
    from endd.training import TeacherCache
    from endd.training.cache.records import MANIFEST, PLAN

    if (teacher / MANIFEST).exists() or (teacher / PLAN).exists():
        cache = TeacherCache(teacher, members=members, memory=memory)
        return cache, None if inputs is None else read_inputs_of(inputs, None, encoding), None
    if inputs is None or members is not None:
        raise ValueError(f"Expected inputs, and all members, for {teacher} is no cache. Make one with `endd label`.")
    model = load(teacher)
    ensemble, rows = teacher_of(model, teacher), read_inputs_of(inputs, model, encoding)
    return ensemble, read_all(rows), next(iter(getattr(ensemble, "members", [])), None)


def _student(source: Any, rows: Any, member: Any, folder: Path | None, hidden: tuple[int, ...]) -> "Student":
    """The student to train: that of a folder, an MLP, or one with the network of a member."""
    from endd.models import Student, num_outputs
    from endd.nn import MLP, DenseNet, ResNet
    from endd.persistence import load
    from endd.persistence.plain import family_from_plain
    from endd.training import TeacherCache

    if folder is not None:
        found = load(folder)
        if not isinstance(found, Student):
            raise ValueError(f"Expected a student in {folder}, but it holds {type(found).__name__}.")
        return found
    cached = isinstance(source, TeacherCache)
    family = family_from_plain(source.plan.family) if cached else source.family
    if hidden:
        first = (source.inputs if rows is None else rows).read(0, 1) if cached else rows
        return Student(MLP(first.shape[1], list(hidden), num_outputs(family)), family)
    if not isinstance(member, MLP | DenseNet | ResNet):
        raise ValueError("Expected a network for the student, for none can be read off its teacher. Pass --hidden.")
    settings: dict[str, Any] = {**member.architecture, "outputs": num_outputs(family)}
    return Student(type(member)(**settings), family)
