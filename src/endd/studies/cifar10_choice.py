"""Repeats of the CIFAR-10 study as one result, with the best form of student under its name."""

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from endd.studies.cifar10_config import GROUPS, Config
from endd.studies.cifar10_curves import COVERAGE, FALSE_ALARMS
from endd.studies.cifar10_evaluation import OF_MEMBERS
from endd.studies.cifar10_groups import names_of
from endd.studies.cifar10_images import VALIDATION
from endd.studies.cifar10_methods import CANDIDATES
from endd.studies.cifar10_outputs import ENSEMBLE, REFERENCE
from endd.studies.result import OWN, Result

STUDY, STUDENT, COVERAGES = "cifar10", "distilled", "coverage"
#: By the first of these scores on validation images the best form of student is chosen; all are written down.
CHOSEN_BY = ("nll", "accuracy", "kl_teacher", "epistemic_spearman", "epistemic_ratio")


def joined(config: Config, results: list[Result]) -> Result:
    """Results of different repeats as one; settings and machine are the last one's."""
    last = results[-1]
    records = [record for result in results for record in result.records]
    seeds = sorted({record.seed for record in records})
    # curves of models whose numbers are gone in some repeat go with them: these are made again
    results = [replace(result, curves=_of_models(result)) for result in results]
    names = dict.fromkeys(name for result in results for name in result.curves)
    curves = {name: np.concatenate([r.curves[name] for r in results if name in r.curves]) for name in names}
    ever = {group for result in results for group in result.config.get("groups", ())} | {*config.groups}
    groups = [name for name in GROUPS if name in ever]
    every = [name for group in groups for name in sorted(names_of(group, replace(config, models=())))]
    models = [name for name in every if name in {record.model for record in records}]
    all_there_is = {"seeds": len(seeds), "first_seed": seeds[0], "groups": groups}
    all_there_is |= {"models": [] if models == every else models}
    plain = last.config | config.as_plain() | all_there_is
    others = {*OF_MEMBERS, *(name for result in results for name in result.config.get(OWN, ()))}
    taken = sum(r.value for r in records if r.metric == "train_seconds" and r.model not in others)
    made = last.environment | {"training": f"{taken / len(seeds):.0f} s a repeat"}
    return Result(STUDY, plain, made, records, curves)


def _of_models(result: Result) -> dict[str, Any]:
    """Curves of no more repeats than their models have numbers of; which of those they are nothing tells."""
    pairs = {(record.model, record.seed) for record in result.records}
    repeats = Counter(model for model, _ in pairs)
    repeats[REFERENCE] = repeats[ENSEMBLE]
    return {
        name: array
        for name, array in result.curves.items()
        if "/" not in name or len(array) <= repeats[name.split("/")[0]]
    }


def chosen(result: Result) -> Result:
    """With the better of the candidates on validation images, on average over repeats, named as the student.

    Where one of them is not there, none is named. Of what is scattered the first repeat is kept.
    """
    scattered = {name: array[0] if "/epistemic/" in name else array for name, array in result.curves.items()}
    result = replace(result, curves=scattered | {COVERAGES: COVERAGE, "fpr": FALSE_ALARMS})
    if not set(CANDIDATES) <= set(result.models()):
        return result  # they come later
    scores = {name: {metric: _mean(result, name, metric) for metric in CHOSEN_BY} for name in CANDIDATES}
    best = min(scores, key=lambda name: scores[name][CHOSEN_BY[0]])
    named = _renamed(result, best, STUDENT)
    return replace(named, config=result.config | {"chosen": {"model": best, "by": CHOSEN_BY[0], "validation": scores}})


def unchosen(result: Result) -> Result:
    """A result as it was before its student was named, so that more repeats can join in the choice."""
    if COVERAGES not in result.curves:
        return result
    named = "chosen" in result.config
    restored = _renamed(result, STUDENT, result.config["chosen"]["model"]) if named else result
    curves = {n: a[None] if "/epistemic/" in n else a for n, a in restored.curves.items() if "/" in n}
    config = {name: value for name, value in result.config.items() if name != "chosen"}
    return replace(restored, config=config, curves=curves)


def _renamed(result: Result, model: str, name: str) -> Result:
    records = [replace(record, model=name) if record.model == model else record for record in result.records]
    curves = {
        (name + key.removeprefix(model) if key.startswith(f"{model}/") else key): array
        for key, array in result.curves.items()
    }
    return replace(result, records=records, curves=curves)


def _mean(result: Result, model: str, metric: str) -> float:
    found = result.estimate(model, metric, VALIDATION)
    return math.nan if found is None else found.mean
