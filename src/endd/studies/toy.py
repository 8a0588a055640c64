"""The paper's toy study (Figure 2): does a student say what its ensemble says, noise and ignorance apart?

Data: y = sin x + noise, x ~ U[-3, 3]; tested on U[-5, 5], where members have never been. For every seed ten members
teach a distribution-distilled and a mixture-distilled student of two hidden layers, from inputs without labels. A
second ensemble on the same data, the reference, says how well two draws of a teacher agree. Further students learn
with labels too, or trade the members' distribution against their mean prediction.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import torch

from endd.data import Examples, toy_examples
from endd.engines import Engine
from endd.studies.environment import environment
from endd.studies.evaluation import agreement, regression_scores
from endd.studies.result import Record, Result, records_of
from endd.studies.stepwise import Part, parts_of, stepwise, told_in_parts
from endd.studies.toy_config import PRESETS, Config
from endd.studies.toy_curves import PER_SEED, toy_curves
from endd.studies.toy_training import train_all
from endd.studies.training import Trained, say
from endd.training.devices import training_device

__all__ = ["PRESETS", "STUDY", "Config", "run", "run_stepwise"]

STUDY, DATASET, SPLIT = "toy", "toy", "test"
# Where members learn and where all are tested: |x| up to this.
TRAIN_REACH, TEST_REACH = 3.0, 5.0


def run(config: Config, progress: str = "auto", engine: Engine | None = None) -> Result:
    """Train and evaluate everything. progress: "auto", "bar", "lines" or "none"."""
    *_, result = run_stepwise(config, progress, engine=engine)
    return result


def run_stepwise(
    config: Config, progress: str = "auto", before: Result | None = None, engine: Engine | None = None
) -> Iterator[Result]:
    """The result so far, after all repeats that train together; `before` is what an earlier run found."""
    parts = parts_of(DATASET, [(SPLIT, seed) for seed in config.all_seeds()], config.together)
    run_one = partial(_run_part, config, told_in_parts(engine, progress))
    yield from stepwise(STUDY, parts, run_one, config, before, progress, engine, PER_SEED)


def _run_part(config: Config, progress: str, part: Part) -> Result:
    """Some repeats, as one stacked run."""
    seeds = [seed for _, seed in part.repeats]
    config = replace(config, first_seed=seeds[0], seeds=len(seeds))
    train, test = examples(config)
    trained = train_all(config, train, progress)
    say("toy: evaluating", progress)
    records = [record for place, seed in enumerate(seeds) for record in _records(place, seed, test[place], trained)]
    curves = toy_curves(trained.models, train[0], test)
    return Result(STUDY, config.as_plain(), environment(str(training_device(config.teacher))), records, curves)


def examples(config: Config) -> tuple[list[Examples], list[Examples]]:
    """What members learn from and what all are tested on, for every seed."""
    train = [toy_examples(config.train_points, TRAIN_REACH, (seed, 0)) for seed in config.all_seeds()]
    return train, [toy_examples(config.test_points, TEST_REACH, (seed, 1)) for seed in config.all_seeds()]


def _records(place: int, seed: int, test: Examples, trained: Trained) -> Iterator[Record]:
    """All numbers of one seed."""
    x, y = (torch.as_tensor(part) for part in test)
    predictions = {name: models[place].predict(x) for name, models in trained.models.items()}
    for name, prediction in predictions.items():
        scores = regression_scores(prediction, y) | agreement(name, predictions)
        scores["train_seconds"] = trained.seconds[name]
        yield from records_of(name, DATASET, SPLIT, seed, scores)
