"""Models by what they cost and how good they are: which of them no cheaper one beats."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from endd.studies.result import Result
from endd.studies.statistics import Estimate

CLEAN, VALIDATION, CORRUPTED = "clean", "validation", "corrupted"
FAMILIES = ("single", "student", "dense", "hydra", "ensemble")


class Spot(NamedTuple):
    """A model, what it costs, and a score of it."""

    model: str
    cost: float
    score: Estimate


class Choice(NamedTuple):
    """What to take from a budget on, until the next one."""

    budget: float
    model: str


def ordered(models: Iterable[str]) -> list[str]:
    """Family by family, the smallest first.

    >>> ordered(["ensemble_10", "ensemble_2", "hydra", "student_1.5", "single_1"])
    ['single_1', 'student_1.5', 'hydra', 'ensemble_2', 'ensemble_10']
    """
    known = [model for model in models if family(model) in FAMILIES]
    return sorted(known, key=lambda model: (FAMILIES.index(family(model)), size(model)))


def family(model: str) -> str:
    """'student' of 'student_1.5'."""
    return model.partition("_")[0]


def size(model: str) -> float:
    """1.5 of 'student_1.5': how wide a network is, or how many members there are; of Hydra 1."""
    return float(model.partition("_")[2] or 1)


def spots(result: Result, cost: str, metric: str, dataset: str = CLEAN) -> list[Spot]:
    """The models that have both numbers; costs are those of clean images."""
    found = []
    for model in ordered(result.models()):
        price, score = result.estimate(model, cost, CLEAN), result.estimate(model, metric, dataset)
        if price is not None and score is not None:
            found.append(Spot(model, price.mean, score))
    return found


def budget(cost: float) -> float:
    """A cost rounded up to two digits: who can pay for one model can pay for another that is as good as as costly.

    >>> budget(40_551_040), budget(40_557_440), budget(0.0312)
    (41000000.0, 41000000.0, 0.032)
    """
    digits = 1 - math.floor(math.log10(cost))
    # rounded first, so that 0.32, which is a little more in binary, does not become 0.33
    return round(math.ceil(round(cost * 10.0**digits, 6)) / 10.0**digits, max(digits, 0))


def to_deploy(result: Result, cost: str, split: bool = False) -> list[Choice]:
    """By the nll on validation images, so that the numbers of the test images remain a test.

    split: only among models that tell what they do not know from what cannot be known.
    """
    found = spots(result, cost, "nll", VALIDATION)
    splits = {spot.model for spot in spots(result, cost, "epistemic_spearman")}
    return front([spot for spot in found if spot.model in splits] if split else found)


def front(found: list[Spot]) -> list[Choice]:
    """The model with the least score for every budget, from the smallest budget for which it is."""
    chosen: list[Choice] = []
    least = math.inf
    for limit in sorted({budget(spot.cost) for spot in found}):
        best = min((spot for spot in found if budget(spot.cost) <= limit), key=lambda spot: spot.score.mean)
        if best.score.mean < least:
            chosen.append(Choice(limit, best.model))
            least = best.score.mean
    return chosen
