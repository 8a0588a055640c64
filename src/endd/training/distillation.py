"""Distillation: a student learns what an ensemble says, from inputs without labels."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from endd._checks import check_option
from endd.models import Model, Student, num_outputs
from endd.models.inputs import to_model
from endd.objectives import Objective
from endd.training.cache import TeacherCache
from endd.training.data import as_examples
from endd.training.devices import training_device
from endd.training.history import History
from endd.training.lessons import Lessons, Perturbation
from endd.training.loop import Loop
from endd.training.networks import check_networks, network_of
from endd.training.outlines import shapes
from endd.training.recipe import Recipe
from endd.training.stack import Stack
from endd.training.starting import starts
from endd.training.students import Kind, StudentTask, kinds_of
from endd.training.tables import Order, map_tensors, stack_jobs
from endd.training.watch import recipe_and_watch


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
    lessons = Lessons(teachers, students, inputs, form, samples, hold_out, perturb, late)
    lessons.read(generator)
    lessons.check(students)
    starting = [] if warm_start is None else starts(warm_start, *students)
    lessons.set_aside(hold_out_share, generator)
    kinds = kinds_of(students, objective, lessons.fewest_members(), _weights(teachers, hold_out))
    task = StudentTask(
        kinds,
        **lessons.taught(kinds, recipe, device),
        labelled=None if labelled is None else _labelled_tables(labelled, students, recipe, device),
        label_weight=label_weight,
    )
    settings = {"form": form, "samples": samples, "label_weight": label_weight, "hold_out": hold_out}
    settings |= {"hold_out_share": hold_out_share, "late": None if late is None else list(late)}
    networks = [network_of(student) for student in students]
    settings |= {"data": lessons.outline, "networks": shapes(networks)}
    folder = watch.folder(_config(students, kinds, recipe, lessons.caches(), settings))
    for start in starting:  # nothing is refused any more
        start()
    loop = Loop(Stack(networks), task, recipe, watch.accumulate)
    with watch.reporter("student" if len(students) == 1 else f"{len(students)} students") as report:
        return loop.run(report, folder)


def _config(
    students: Sequence[Student],
    kinds: list[Kind],
    recipe: Recipe,
    caches: list[TeacherCache],
    settings: dict[str, Any],
) -> dict[str, Any]:
    """What a run folder remembers."""
    taught = {
        "kind": "distillation",
        "students": len(students),
        "objective": _one_or_all([kind.objective for kind in kinds]),
        "v": _one_or_all([kind.form for kind in kinds]),
    }
    identities = {"caches": " ".join(cache.identity() for cache in caches)} if caches else {}
    return taught | settings | recipe.as_plain() | identities


def _one_or_all(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _weights(teachers: Sequence[Any], hold_out: str) -> Tensor | None:
    """The members' weights (M,), None where they are equal."""
    known = [teacher.weights if isinstance(teacher, Model | TeacherCache) else None for teacher in teachers]
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
        check_networks([network_of(student)], x, student.family, None, num_outputs(student.family, student.form))
    x = stack_jobs(inputs)
    y = stack_jobs([student.family.standardise(y) for (_, y), student in zip(examples, students, strict=True)])
    order = Order([len(y) for _, y in examples], range(len(students)), recipe.batch_size)
    return map_tensors(lambda t: t.to(device), x), y.to(device), order
