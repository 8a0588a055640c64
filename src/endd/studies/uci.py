"""The paper's UCI study (Table 1): five regression sets, and what a student keeps of its ensemble on each.

On every split ten members teach students with a full and with a diagonal normal over z, and a mixture-distilled one,
at the training inputs without their labels. A second ensemble on the same data, the reference, says how well two
draws of a teacher agree; boosted trees are the rival from outside. One set of settings serves all data sets.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from endd.data import Table, load_uci
from endd.engines import Engine
from endd.models import Prediction
from endd.studies.boosting import boosted
from endd.studies.environment import environment
from endd.studies.evaluation import agreement, interval_scores, regression_scores
from endd.studies.result import Record, Result, records_of
from endd.studies.stepwise import Part, parts_of, stepwise, told_in_parts
from endd.studies.training import say, timed
from endd.studies.uci_config import PRESETS, Config
from endd.studies.uci_curves import PER_SPLIT, uci_curves
from endd.studies.uci_training import Job, all_jobs, family_of, train_all
from endd.training.devices import training_device

__all__ = ["PRESETS", "STUDY", "Config", "run", "run_stepwise"]

STUDY = "uci"
STUDENTS = ("distilled", "distilled_diagonal", "mixture")


def run(config: Config, progress: str = "auto", data: str | Path | None = None) -> Result:
    """Train and evaluate everything. progress: "auto", "bar", "lines" or "none". data: see `load_uci`."""
    *_, result = run_stepwise(config, progress, data)
    return result


def run_stepwise(
    config: Config,
    progress: str = "auto",
    data: str | Path | None = None,
    before: Result | None = None,
    engine: Engine | None = None,
) -> Iterator[Result]:
    """The result so far, after a data set or some splits of it; `before` is what an earlier run found."""
    tables = {name: load_uci(name, data) for name in config.datasets}
    parts = [part for name, table in tables.items() for part in _parts(config, name, table)]
    run_one = partial(_run_part, config, tables, told_in_parts(engine, progress))
    yield from stepwise(STUDY, parts, run_one, config, before, progress, engine, PER_SPLIT)


def _parts(config: Config, name: str, table: Table) -> list[Part]:
    return parts_of(name, [(job.split.name, job.seed) for job in all_jobs(config, table)], config.together)


def _run_part(config: Config, tables: dict[str, Table], progress: str, part: Part) -> Result:
    """Some splits of a data set, as one stacked run."""
    name, every = part.dataset, all_jobs(config, tables[part.dataset])
    jobs = [job for job in every if (job.split.name, job.seed) in part.repeats]
    trained = train_all(config, jobs, progress, f"uci: {name}")
    say(f"uci: {name}: boosting and evaluating", progress)
    with timed() as timer:
        trees = [boosted(job.split, family_of(config, job.split), job.number) for job in jobs]
    seconds = trained.seconds | {"boosting": timer.seconds / len(jobs)}
    predictions = []
    for place, job in enumerate(jobs):
        x = torch.as_tensor(job.split.test.x)
        found = {model: models[place].predict(x) for model, models in trained.models.items()}
        predictions.append(found | {"boosting": trees[place]})
    targets = [torch.as_tensor(job.split.test.y) for job in jobs]
    records = [r for each in zip(jobs, predictions, targets, strict=True) for r in _records(name, *each, seconds)]
    fewest = min(len(job.split.test.y) for job in every)
    curves = {f"{name}/{key}": array for key, array in uci_curves(predictions, targets, fewest).items()}
    return Result(STUDY, config.as_plain(), environment(str(training_device(config.teacher))), records, curves)


def _records(
    dataset: str, job: Job, predictions: dict[str, Prediction], y: Tensor, seconds: dict[str, float]
) -> Iterator[Record]:
    """All numbers of one split."""
    scores = {
        name: regression_scores(prediction, y) | interval_scores(prediction, y) | agreement(name, predictions)
        for name, prediction in predictions.items()
    }
    nll = {name: found["nll"] for name, found in scores.items()}
    for name, found in scores.items():
        found["train_seconds"] = seconds[name]
        if name in STUDENTS and nll["single"] != nll["ensemble"]:
            found["gain_lost"] = (nll[name] - nll["ensemble"]) / (nll["single"] - nll["ensemble"])
        yield from records_of(name, dataset, job.split.name, job.seed, found)
