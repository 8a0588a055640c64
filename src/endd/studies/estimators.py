"""The estimators as they come, on eight tables: what the student keeps of its ensemble, and boosted trees beside both.

Nothing is set for a data set. Three have classes and come with scikit-learn, five have numbers and are the paper's. On
every random split an estimator is fitted; its ensemble, its student and one of its members are tried on the rest, and
so is scikit-learn's HistGradientBoosting, which anybody with a table would try first.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss, root_mean_squared_error
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from endd._checks import check_option
from endd.data import load_uci
from endd.data.uci import NAMES
from endd.engines import Engine
from endd.estimators import DistilledClassifier, DistilledRegressor
from endd.studies.environment import environment
from endd.studies.result import Record, Result, records_of
from endd.studies.settings import Settings
from endd.studies.stepwise import Part, stepwise, told_in_parts
from endd.studies.table import models_of, scores_of_models
from endd.studies.training import say, timed

__all__ = ["STUDY", "Config", "run", "run_stepwise"]

STUDY = "estimators"
CLASSES: dict[str, Callable[..., Any]] = {
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
    "wine": load_wine,
}
DATASETS = (*CLASSES, *NAMES)


@dataclass(frozen=True)
class Config(Settings):
    """datasets: by name. splits: random ones, `test_share` of the rows held out in each. members: of every ensemble."""

    preset: str = "defaults"
    datasets: tuple[str, ...] = DATASETS
    splits: int = 10
    test_share: float = 0.2
    members: int = 10
    epochs: int | None = None
    student_epochs: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_at_least(1, "splits", "members")
        for name in self.datasets:
            check_option("dataset", name, DATASETS)


def run(config: Config, progress: str = "auto", data: str | Path | None = None) -> Result:
    """Fit and try everything. progress: "auto", "lines" or "none". data: see `load_uci`."""
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
    run_one = partial(_run_part, config, told_in_parts(engine, progress), data)
    parts = [Part(name) for name in config.datasets]
    yield from stepwise(STUDY, parts, run_one, config, before, progress, engine)


def _run_part(config: Config, progress: str, data: str | Path | None, part: Part) -> Result:
    one = replace(config, datasets=(part.dataset,))
    records = [record for number in range(config.splits) for record in run_split(one, number, progress, data)]
    return Result(STUDY, one.as_plain(), environment(), records)


def run_split(config: Config, number: int, progress: str, data: str | Path | None = None) -> Iterable[Record]:
    """All numbers of one split of the only data set."""
    (name,) = config.datasets
    X, y = load(name, data)
    train, test = split(X, y, config, number)
    say(f"estimators: {name}, split {number + 1} of {config.splits}: {len(train)} rows", progress)
    kind = DistilledClassifier if name in CLASSES else DistilledRegressor
    model = kind(
        n_members=config.members,
        epochs=config.epochs,
        student_epochs=config.student_epochs,
        random_state=config.first_seed + number,
    )
    with timed() as timer:
        model.fit(X[train], y[train])
    x = torch.as_tensor(model.encoder_.transform(X[test]))
    targets = np.searchsorted(model.classes_, y[test]) if name in CLASSES else y[test]
    _, scores = scores_of_models(models_of(model), x, torch.as_tensor(targets))
    scores["distilled"]["train_seconds"] = timer.seconds
    with timed() as timer:
        scores["boosting"] = boosting(X, y, train, test, classes=name in CLASSES, seed=config.first_seed + number)
    scores["boosting"]["train_seconds"] = timer.seconds
    for model_name, found in scores.items():
        yield from records_of(model_name, name, f"split{number}", config.first_seed, found)


def load(name: str, data: str | Path | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows and targets of a data set."""
    if name in CLASSES:
        X, y = CLASSES[name](return_X_y=True)
        return np.asarray(X), np.asarray(y)
    table = load_uci(name, data)
    return table.x, table.y


def split(X: NDArray[Any], y: NDArray[Any], config: Config, number: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to train and to test on; each class in proportion where there are classes."""
    (name,) = config.datasets
    kind = StratifiedShuffleSplit if name in CLASSES else ShuffleSplit
    pairs = list(kind(config.splits, test_size=config.test_share, random_state=config.first_seed).split(X, y))
    train, test = pairs[number]
    return np.sort(train), np.sort(test)


def boosting(
    X: NDArray[Any], y: NDArray[Any], train: NDArray[np.intp], test: NDArray[np.intp], *, classes: bool, seed: int
) -> dict[str, float]:
    """nll and accuracy, or rmse, of scikit-learn's boosted trees as they come."""
    if not classes:
        trees = HistGradientBoostingRegressor(random_state=seed).fit(X[train], y[train])
        return {"rmse": float(root_mean_squared_error(y[test], trees.predict(X[test])))}
    forest = HistGradientBoostingClassifier(random_state=seed).fit(X[train], y[train])
    probs = forest.predict_proba(X[test])
    return {
        "nll": float(log_loss(y[test], probs, labels=forest.classes_)),
        "accuracy": float((forest.classes_[probs.argmax(1)] == y[test]).mean()),
    }
