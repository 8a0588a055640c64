"""`endd label`: what a teacher says about inputs, written down once."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from endd.cli.app import Progress, app
from endd.cli.place import HERE, Place

if TYPE_CHECKING:
    from endd.training.cache.rows import Rows, Stream


@app.command
def label(
    teacher: Path,
    inputs: Path,
    /,
    *,
    out: Annotated[Path, Parameter(alias="-o")],
    dtype: Literal["float32", "float16"] = "float32",
    contents: Literal["members", "moments"] = "members",
    keep_inputs: bool = False,
    one_by_one: bool = False,
    shard_rows: Annotated[int | None, Parameter(validator=Number(gte=1))] = None,
    batch_size: Annotated[int, Parameter(validator=Number(gte=1))] = 4096,
    place: Place = HERE,
    encoding: str = "utf-8",
    progress: Progress = "auto",
) -> None:
    """Write down what an ensemble says about inputs, for students to learn from; stopped, it goes on when run again.

    Shards are the parts that an engine runs.

    Parameters
    ----------
    teacher
        The folder of an ensemble, as endd.save wrote it, or one that `endd fit` made.
    inputs
        An .npz file with x, an .npy file, a Parquet file of numbers or a folder of them; for a folder that `endd fit`
        made, a CSV or Parquet table with the columns of training. A CSV is read from its beginning to its end, by one
        process; Parquet in row groups, by as many as there are.
    out
        The folder to write: shards of outputs, and a manifest with their hashes.
    dtype
        float16 takes half the space.
    contents
        The outputs of all members, or only their mean and covariance, which is what a student with a normal v needs.
    keep_inputs
        Write the inputs down too, so that the folder is all that a student needs.
    one_by_one
        Keep one member at a time in memory.
    shard_rows
        Rows of a file; by default about 32 MB of inputs and outputs.
    batch_size
        Rows that the teacher sees at most at once; on a CPU fewer, if they are large.
    encoding
        Of a CSV file.
    progress
        How to tell how far things are; "auto" is a bar on a terminal and lines elsewhere.
    """
    import torch

    from endd._files import check_can_write
    from endd.persistence import load, load_one_by_one
    from endd.streaming import teacher_of
    from endd.training import cache_teacher

    check_can_write(out, "--out")
    engine = place.as_engine()
    torch.set_num_threads(1)  # as workers have it: shards are the same to the last bit wherever they are made
    model = load_one_by_one(teacher) if one_by_one else load(teacher)
    cache = cache_teacher(
        model if one_by_one else teacher_of(model, teacher),
        read_inputs_of(inputs, model, encoding),
        out,
        dtype=dtype,
        contents=contents,
        keep_inputs=keep_inputs,
        shard_rows=shard_rows,
        batch_size=batch_size,
        engine=engine,
        progress=progress,
    )
    print(f"Wrote what {cache.plan.members} members say about {len(cache)} inputs to {out}.")


def read_inputs_of(path: Path, model: Any, encoding: str) -> "Rows | Stream":
    """Inputs out of a file, for a model."""
    from endd.streaming import read_rows
    from endd.studies.fidelity_files import read_inputs
    from endd.training.cache.rows import TableRows

    return TableRows(read_inputs(path)[0]) if path.suffix == ".npz" else read_rows(path, model, encoding)
