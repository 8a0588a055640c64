"""A row of one's own in the toy study."""

from dataclasses import replace
from pathlib import Path

import torch

from endd.data import Examples
from endd.models import Ensemble, Student
from endd.nn import MLP
from endd.studies.evaluation import agreement, regression_scores
from endd.studies.method import load_method
from endd.studies.own import check_name, kept_teachers, with_row
from endd.studies.result import Record, Result, records_of
from endd.studies.toy import DATASET, SPLIT, examples
from endd.studies.toy_config import Config
from endd.studies.toy_training import FAMILY, FORMS, draw_inputs, train_ensembles
from endd.studies.training import STUDENT_SEEDS, options, say, seeded, timed
from endd.training import distill_many


def add_row(before: Result, place: str, teachers: Path | None = None, progress: str = "auto") -> Result:
    """Train the method at FILE.py:NAME on the study's own teachers and add its row."""
    config = Config.from_plain(before.config)
    v, features = FORMS[config.v], config.student_hidden[-1]
    name, method = load_method(place, FAMILY, v, features, config.members)
    train, test = examples(config)
    check_name(before, name, place)
    ensembles = kept_teachers(teachers, config.seeds, config, lambda: _teachers(config, train, progress))

    def build() -> Student:
        def network(outputs: int) -> MLP:
            return MLP(1, config.student_hidden, outputs, config.student_activation)

        return method.student(network, FAMILY, v, features)

    students = [seeded(STUDENT_SEEDS + seed, build) for seed in config.all_seeds()]
    inputs = [draw_inputs(config.samples, seed) for seed in config.all_seeds()]
    say(f"toy: training {len(students)} students, {name}", progress)
    how = options(config.student, config.first_seed) | {"progress": progress}
    with timed() as timer:
        distill_many(ensembles, students, inputs, objective=method.objective, **how)
    records: list[Record] = []
    for seed, teacher, student, given in zip(config.all_seeds(), ensembles, students, test, strict=True):
        x, y = (torch.as_tensor(part) for part in given)
        said = {"ensemble": teacher.predict(x), name: student.predict(x)}
        scores = regression_scores(said[name], y) | agreement(name, said)
        scores["train_seconds"] = timer.seconds / len(students)
        records += records_of(name, DATASET, SPLIT, seed, scores)
    return with_row(before, name, place, records)


def _teachers(config: Config, train: list[Examples], progress: str) -> list[Ensemble]:
    """Trained as in the study: so many repeats at a time."""
    found: list[Ensemble] = []
    for start in range(0, config.seeds, config.together):
        data = train[start : start + config.together]
        block = replace(config, first_seed=config.first_seed + start, seeds=len(data))
        found += train_ensembles(block, data, progress)[::2]
    return found
