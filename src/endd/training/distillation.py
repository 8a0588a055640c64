"""Distillation: a student learns what an ensemble says, from inputs without labels."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from endd._checks import check_option
from endd.models import Ensemble, Student, num_outputs
from endd.models.inputs import pick_output, to_model
from endd.nn import MLP
from endd.nn.grouped import KNOWN
from endd.objectives import Objective
from endd.training.cache import TeacherCache
from endd.training.data import as_examples
from endd.training.ensembles import check_networks, plain, training_device
from endd.training.history import History
from endd.training.loop import Loop
from endd.training.recipe import Recipe
from endd.training.sources import Source, split_tables, stream_of
from endd.training.stack import Stack
from endd.training.starting import start_from
from endd.training.streamed import StreamedOrder, check_kinds
from endd.training.students import StudentTask, kinds_of
from endd.training.tables import Order, first_tensor, map_tensors, stack_jobs
from endd.training.watch import recipe_and_watch

#: (how many, generator) -> that many inputs.
Sampler = Callable[[int, torch.Generator], Any]
#: (inputs, generator) -> inputs of the same shape.
Perturbation = Callable[[Tensor, torch.Generator], Tensor]


class RawStudent(nn.Module):
    """A student's network and head as one module that gives raw numbers."""

    def __init__(self, student: Student) -> None:
        super().__init__()
        self.net, self.head, self.output = student.net, student.head, student.output

    def forward(self, *arguments: Any, **named: Any) -> Tensor:
        """Raw outputs."""
        raw = pick_output(self.net(*arguments, **named), self.output)
        return raw if self.head is None else self.head(raw)


def distill(
    teacher: Any,
    student: Student,
    inputs: Any = None,
    *,
    objective: Objective | None = None,
    form: str = "parameters",
    samples: int = 1000,
    perturb: Perturbation | None = None,
    labelled: Any = None,
    label_weight: float = 1.0,
    hold_out: str = "none",
    hold_out_share: float = 0.1,
    warm_start: nn.Module | Iterable[nn.Module] | None = None,
    late: tuple[int, int] | None = None,
    **options: Any,
) -> History:
    """Teach a student, in place, what a teacher says about inputs that need no labels.

    teacher: an Ensemble (or another model whose v is atoms); or an array, tensor or .npy file of member outputs
    (M, N, P) for the N rows of `inputs`, in a `form` that the family knows ("parameters", "logits", "probs",
    "moments", "rates"); or a TeacherCache. inputs: tensors or arrays, a dict or tuple of them, a Dataset, a DataLoader,
    or a function (count, generator) -> inputs, asked for `samples` new ones every epoch; for a cache whatever `as_rows`
    takes, or nothing where it keeps its inputs.

    objective: by default the distribution objective, or the mixture objective for a Point student and Hydra's for one
    with v=Members.of(size=M). perturb: (x, generator) -> x changes every batch before teacher and student see it.
    labelled: (x, y) data whose likelihood is added with `label_weight`. hold_out: "inputs" or "members" keeps a share
    aside, on which the best weights are chosen (and with `patience` training stops). warm_start: a network whose
    parameters of the same name and shape the student starts from; a wider `ResNet` starts as one or several of these
    side by side (see `endd.nn.join`), of several students each. late: (rows, epoch), the last so many rows of `inputs`
    come in from that epoch on, and epochs have as many rows as before. options: how to train and how to follow it, see
    `Recipe` and `Watch`; by default 300 epochs, and gradients clipped at 10, for where members agree their likelihood
    is steep.
    """
    return distill_many(
        [teacher],
        [student],
        [inputs],
        objective=objective,
        form=form,
        samples=samples,
        perturb=perturb,
        labelled=None if labelled is None else [labelled],
        label_weight=label_weight,
        hold_out=hold_out,
        hold_out_share=hold_out_share,
        warm_start=warm_start,
        late=late,
        **options,
    )


def distill_many(
    teachers: Sequence[Any],
    students: Sequence[Student],
    inputs: Sequence[Any],
    *,
    objective: Objective | Sequence[Objective | None] | None = None,
    form: str = "parameters",
    samples: int = 1000,
    perturb: Perturbation | None = None,
    labelled: Sequence[Any] | None = None,
    label_weight: float = 1.0,
    hold_out: str = "none",
    hold_out_share: float = 0.1,
    warm_start: nn.Module | Iterable[nn.Module] | None = None,
    late: tuple[int, int] | None = None,
    **options: Any,
) -> History:
    """Several students of several teachers (folds, repeats) as one stacked run; otherwise as `distill`.

    objective: one for all, or one a student. Students with another v or another objective train side by side too if
    they are plain networks of endd.nn that differ in their outputs only; name those of a kind one after another. A
    teacher with its inputs that comes several times is asked once, and its students see them in the same order; among
    them those over K - 1 logits follow one over all K.
    """
    check_option("hold_out", hold_out, ["none", "inputs", "members"])
    recipe, watch = recipe_and_watch(options, epochs=300, clip=10.0)
    if recipe.patience is not None and hold_out == "none":
        raise ValueError(f"Expected `patience` with hold_out='inputs' or 'members', but got {recipe.patience} alone.")
    device = training_device(recipe)
    generator = torch.Generator().manual_seed(recipe.seed)
    pairs = list(zip(teachers, inputs, students, strict=True))
    names = [(id(teacher), id(given)) for teacher, given, _ in pairs]
    first_of = list(dict.fromkeys(names))
    job_of_track = [first_of.index(name) for name in names]
    sources = [
        Source(*pairs[names.index(name)], form, samples, perturb is not None)  # one a job, not one a student
        for name in first_of
    ]
    stream = stream_of(sources, hold_out)
    if late is not None and (hold_out == "inputs" or stream is not None or any(source.draws for source in sources)):
        raise ValueError(
            "Expected `late` rows of inputs in memory, in their order, but some are held out, streamed or drawn."
        )
    tables = [source.table(generator) if stream is None else source.shard(0) for source in sources]
    for student, job in zip(students, job_of_track, strict=True):
        outputs = num_outputs(student.family, student.form)
        check_networks([_network(student)], tables[job][0], student.family, None, outputs)
    if warm_start is not None:
        start_from(warm_start, *students)
    shards: list[int] = []
    if stream is None:
        tables, held_out = split_tables(sources, tables, hold_out, hold_out_share, generator)
    else:
        shards, held_out = stream.split(hold_out, hold_out_share, generator)
    fewest = min(z.shape[1] for _, z in [*tables, *(held_out or [])])  # what is held out may be a single member
    if stream is not None and stream.teacher.per_batch is not None:
        fewest = min(fewest, stream.teacher.per_batch)
    kinds = kinds_of(students, objective, fewest, _weights(teachers, hold_out))
    for source in sources:
        if isinstance(source.teacher, TeacherCache):
            check_kinds(source.teacher, kinds)

    def stacked(parts: list[tuple[Any, Tensor]]) -> tuple[Any, list[Any]]:
        members = {z.shape[1] for _, z in parts}
        if len(members) > 1:
            raise ValueError(f"Expected teachers with the same number of members, but got {sorted(members)}.")
        x, z = stack_jobs([x for x, _ in parts]), stack_jobs([z for _, z in parts]).to(device)
        return map_tensors(lambda t: t.to(device), x), [kind.digest(z) for kind in kinds]

    order: Any
    early = None
    if stream is None:
        sizes, rows = [len(z) for _, z in tables], recipe.epoch_rows
        if late is not None:
            early = (late[1], _without_late(sizes, late[0], job_of_track, recipe))
            rows = early[1].rows
        order = Order(sizes, job_of_track, recipe.batch_size, shared=True, rows=rows)
        x, known = stacked(tables)
    else:
        order = StreamedOrder(
            lambda number: map_tensors(lambda t: t.to(device), stream.shard(number)),
            stream.teacher,
            shards,
            kinds,
            len(students),
            recipe.batch_size,
            recipe.epoch_rows,
        )
        x, known = None, []
    task = StudentTask(
        kinds,
        order,
        x,
        known,
        None if held_out is None else stacked(held_out),
        None if labelled is None else _labelled_tables(labelled, students, recipe, device),
        label_weight,
        _redraw(sources, stacked) if any(source.draws for source in sources) else None,
        None if perturb is None else _relabel([sources[job] for job in job_of_track], perturb),
        early,
    )
    config = {
        "kind": "distillation",
        "students": len(students),
        "objective": _one_or_all([kind.objective for kind in kinds]),
        "v": _one_or_all([kind.form for kind in kinds]),
        "form": form,
        "samples": samples,
        "label_weight": label_weight,
        "hold_out": hold_out,
        "hold_out_share": hold_out_share,
        "late": None if late is None else list(late),
        **plain(recipe),
    }
    caches = [source.teacher for source in sources if isinstance(source.teacher, TeacherCache)]
    if caches:
        config["caches"] = " ".join(cache.identity() for cache in caches)
    folder = watch.folder(config)
    loop = Loop(Stack([_network(student) for student in students]), task, recipe, watch.accumulate)
    with watch.reporter("student" if len(students) == 1 else f"{len(students)} students") as report:
        return loop.run(report, folder)


def _without_late(sizes: list[int], late: int, job_of_track: list[int], recipe: Recipe) -> Order:
    """The order of rows as long as the last ones are not in yet."""
    if not 0 < late < min(sizes):
        raise ValueError(f"Expected `late` rows from 1 to below the {min(sizes)} that there are, but got {late}.")
    before = [size - late for size in sizes]
    return Order(before, job_of_track, recipe.batch_size, shared=True, rows=recipe.epoch_rows)


def _one_or_all(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _network(student: Student) -> nn.Module:
    """A bare network of endd.nn where that is all there is, so that all of them run as batched kernels."""
    if student.head is None and student.output is None and isinstance(student.net, (MLP, *KNOWN)):
        return student.net
    return RawStudent(student)


def _weights(teachers: Sequence[Any], hold_out: str) -> Tensor | None:
    """The members' weights (M,), None where they are equal."""
    known = [teacher.weights if isinstance(teacher, Ensemble | TeacherCache) else None for teacher in teachers]
    first = known[0]
    if all(weights is None for weights in known):
        return None
    if hold_out == "members" or first is None or any(w is None or not torch.equal(w, first) for w in known):
        raise ValueError("Expected the same weights for the members of all teachers, and none of them held out.")
    return first


def _labelled_tables(
    labelled: Sequence[Any], students: Sequence[Student], recipe: Recipe, device: torch.device
) -> tuple[Any, Tensor, Order]:
    examples = [as_examples(data, student.family) for data, student in zip(labelled, students, strict=True)]
    inputs = [to_model(x, student) for (x, _), student in zip(examples, students, strict=True)]
    for x, student in zip(inputs, students, strict=True):
        check_networks([_network(student)], x, student.family, None, num_outputs(student.family, student.form))
    x = stack_jobs(inputs)
    y = stack_jobs([student.family.standardise(y) for (_, y), student in zip(examples, students, strict=True)])
    order = Order([len(y) for _, y in examples], range(len(students)), recipe.batch_size)
    return map_tensors(lambda t: t.to(device), x), y.to(device), order


def _redraw(sources: list[Source], stacked: Any) -> Callable[[torch.Generator], tuple[Any, list[Any]]]:
    return lambda generator: stacked([source.table(generator) for source in sources])


def _relabel(sources: list[Source], perturb: Perturbation) -> Callable[[Any, torch.Generator], tuple[Any, Tensor]]:
    def perturbed(x: Any, generator: torch.Generator) -> tuple[Any, Tensor]:
        parts = [map_tensors(lambda t, j=job: perturb(t[j], generator), x) for job in range(len(sources))]  # type: ignore[misc]
        z = torch.stack([source.label(part) for source, part in zip(sources, parts, strict=True)])
        return stack_jobs(parts), z.to(first_tensor(x).device)

    return perturbed
