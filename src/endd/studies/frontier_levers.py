"""What a student can be taught with or without: each lever is the study with one setting changed."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

from endd.studies.cifar10_config import Config as Study
from endd.studies.cifar10_methods import Kind, methods


def _as_it_is(study: Study) -> Study:
    return study


class Lever(NamedTuple):
    """A change of the study's settings, and which of its students is taught with them."""

    changed: Callable[[Study], Study] = _as_it_is
    student: str = "distilled_low_rank"

    def kind(self, study: Study) -> Kind:
        """That student, with the loss that these settings make."""
        return methods(self.changed(study))[self.student]


def _set(**changes: Any) -> Lever:
    return Lever(lambda study: replace(study, **changes))


def _trained(changes: Callable[[Study], dict[str, Any]]) -> Lever:
    return Lever(lambda study: replace(study, student=replace(study.student, **changes(study))))


#: Levers by name; those that change the loss alone train side by side, and those that change no pixels share what the
#: members say about them: they come first. Students are of the members' own width, and compared with "student_1", which
#: has none of them.
LEVERS = {
    "lever_diagonal": Lever(student="distilled_diagonal"),
    "lever_no_mean": _set(mean_weight=0.0),
    "lever_mean_0.9": _set(mean_weight=0.9),
    "lever_no_epistemic": _set(epistemic_weight=0.0),
    "lever_ema": _trained(lambda study: {"ema": 0.999}),
    "lever_sgd": _trained(lambda study: {"optimiser": "sgd", "learning_rate": 0.2, "weight_decay": 5e-4}),
    "lever_muon": _trained(lambda study: {"optimiser": "muon", "learning_rate": 0.02, "weight_decay": 0.01}),
    "lever_short": _trained(lambda study: {"epochs": max(1, study.student.epochs // 3)}),
    "lever_long": _trained(lambda study: {"epochs": 2 * study.student.epochs}),
    "lever_symmetric": Lever(student="distilled_symmetric"),
    # from here on with pixels of their own
    "lever_push": _set(push=0.3),
    "lever_no_mixing": _set(mix=0.0, patch=0.0),
    "lever_no_warp": _set(warp=0.0),
    "lever_blend": _set(blend=0.5),
    "lever_few_views": Lever(lambda study: replace(study, views=max(1, study.views // 4))),
}


def side_by_side(study: Study) -> Iterator[tuple[Study, list[str]]]:
    """Settings to train with, and the levers whose students can train together with them."""

    def apart_from_the_loss(name: str) -> tuple[Study, object]:
        lever = LEVERS[name]
        settings = replace(lever.changed(study), mean_weight=0.0, epistemic_weight=0.0)
        return settings, lever.kind(study).network

    for _, names in groupby(LEVERS, apart_from_the_loss):
        together = list(names)
        yield LEVERS[together[0]].changed(study), together
