"""The paper's UCI study (Table 1): five regression sets, and what a student keeps of its ensemble on each.

On every split ten members teach students with a full and with a diagonal normal over z, and a mixture-distilled one,
at the training inputs without their labels. A second ensemble on the same data, the reference, says how well two
draws of a teacher agree; boosted trees are the rival from outside. One set of settings serves all data sets.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from endd.data import Table, load_uci, uci_splits
from endd.engines import Engine
from endd.models import Prediction
from endd.studies.boosting import boosted
from endd.studies.environment import environment
from endd.studies.evaluation import agreement, interval_scores, regression_scores
from endd.studies.result import Record, Result, records_of
from endd.studies.stepwise import stepwise
from endd.studies.training import say, timed
from endd.studies.uci_config import PRESETS, Config
from endd.studies.uci_curves import uci_curves
from endd.studies.uci_training import Job, as_jobs, family_of, train_all
from endd.training.ensembles import training_device

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
    """The result so far, after every data set; `before` is what an earlier run found, see `stepwise`."""
    tables = {name: load_uci(name, data) for name in config.datasets}
    run_one = partial(_run_named, config, tables, progress)
    yield from stepwise(STUDY, tables, run_one, config.as_plain(), before, progress, engine)


def _run_named(config: Config, tables: dict[str, Table], progress: str, name: str) -> Result:
    return run_dataset(replace(config, datasets=(name,)), tables[name], progress)


def run_dataset(config: Config, table: Table, progress: str) -> Result:
    """The study on the table of its only data set."""
    (name,) = config.datasets
    jobs = [job for seed in config.all_seeds() for job in as_jobs(seed, uci_splits(table, config.splits, seed))]
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
    curves = {f"{name}/{key}": array for key, array in uci_curves(predictions, targets).items()}
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
