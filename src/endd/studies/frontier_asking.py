"""Every model of the frontier asked: what it says about the test sets, and what an answer costs."""

from collections.abc import Iterator
from typing import Any

from torch import Tensor

from endd.models import Ensemble, Model
from endd.studies.cifar10_asking import Asking
from endd.studies.cifar10_evaluation import CORRUPTED, OF_REFERENCE, Evaluation
from endd.studies.cifar10_images import CLEAN, SVHN, VALIDATION, on_device
from endd.studies.cifar10_outputs import ENSEMBLE, Outputs
from endd.studies.cost import milliseconds_a_row, multiply_adds
from endd.studies.result import Record, records_of

SCORES = ("accuracy", "nll", "ece")
#: By which a model is chosen for a budget, on validation images.
CHOSEN_BY = "nll"
#: What is written down, and times.
METRICS = (*SCORES, *OF_REFERENCE, *OF_REFERENCE.values(), "parameters", "multiply_adds", "train_seconds")


class CostAsking(Asking):
    """Also counts and times the models.

    batches: their rows. rounds: of which a time is the median.
    """

    def __init__(self, *arguments: Any, batches: tuple[int, ...], rounds: int) -> None:
        super().__init__(*arguments)
        self.batches, self.rounds = batches, rounds

    def _cost(self, model: Model) -> dict[str, float]:
        x = on_device(self.pictures.x_test[: max(self.batches)], self.workshop.device)
        return costs(model, x, self.batches, self.rounds)


def costs(model: Model, x: Tensor, batches: tuple[int, ...], rounds: int) -> dict[str, float]:
    """Multiply-adds and milliseconds of a row; of several members also where they answer one after another."""
    # side by side on a GPU they multiply by zeros too, which is no part of what they cost
    loop = Ensemble(model.members, model.family, stacking="loop") if isinstance(model, Ensemble) else model
    found = {"multiply_adds": multiply_adds(loop, x)}
    found |= {f"ms_a_row@{size}": milliseconds_a_row(model, x, size, rounds) for size in batches}
    if isinstance(model, Ensemble) and len(model) > 1:
        found |= {f"ms_a_row_loop@{size}": milliseconds_a_row(loop, x, size, rounds) for size in batches}
    return found


def records_kept(evaluation: Evaluation, names: set[str], whole: str) -> Iterator[Record]:
    """Numbers of these models on clean, validation and all corrupted images; of the teacher those of its reference.

    whole: the name under which the teacher stands.
    """
    outputs = evaluation.outputs
    for record in [*evaluation.records(), *_averaged(evaluation, names)]:
        known = record.metric in METRICS or record.metric.startswith("ms_a_row")
        wanted = {CLEAN: known, CORRUPTED: known, VALIDATION: record.metric == CHOSEN_BY}
        if not wanted.get(record.dataset):
            continue
        if record.model in names:
            yield record
        elif record.model == ENSEMBLE and whole in names and record.metric in OF_REFERENCE.values():
            yield from records_of(whole, record.dataset, record.split, outputs.seed, {record.metric: record.value})


def _averaged(evaluation: Evaluation, names: set[str]) -> Iterator[Record]:
    """Scores as means over the corrupted sets; agreement over all of them as one is there already."""
    outputs: Outputs = evaluation.outputs
    sets = [name for name in outputs.sets() if name not in (CLEAN, SVHN)]
    for model in (name for name in outputs.raw if name in names and sets):
        by_set = evaluation.scores[model]
        means = {metric: sum(by_set[name][metric] for name in sets) / len(sets) for metric in SCORES}
        yield from records_of(model, CORRUPTED, "test", outputs.seed, means)
