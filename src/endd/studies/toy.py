"""The paper's toy study (Figure 2): does a student say what its ensemble says, noise and ignorance apart?

Data: y = sin x + noise, x ~ U[-3, 3]; tested on U[-5, 5], where members have never been. For every seed ten members
teach a distribution-distilled and a mixture-distilled student of two hidden layers, from inputs without labels. A
second ensemble on the same data, the reference, says how well two draws of a teacher agree. Further students learn
with labels too, or trade the members' distribution against their mean prediction.
"""

from collections.abc import Iterator

import torch

from endd.data import Examples, toy_examples
from endd.studies.environment import environment
from endd.studies.evaluation import agreement, regression_scores
from endd.studies.result import Record, Result, records_of
from endd.studies.toy_config import PRESETS, Config
from endd.studies.toy_curves import toy_curves
from endd.studies.toy_training import train_all
from endd.studies.training import Trained, say
from endd.training.ensembles import training_device

__all__ = ["PRESETS", "STUDY", "Config", "run"]

STUDY, DATASET, SPLIT = "toy", "toy", "test"
# Where members learn and where all are tested: |x| up to this.
TRAIN_REACH, TEST_REACH = 3.0, 5.0


def run(config: Config, progress: str = "auto") -> Result:
    """Train and evaluate everything. progress: "auto", "bar", "lines" or "none"."""
    seeds = config.all_seeds()
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
