"""A row of one's own in the UCI study, on each of its data sets."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch

from endd.data import load_uci
from endd.distributions import FullNormal
from endd.models import Ensemble, Student
from endd.nn import MLP
from endd.studies.evaluation import agreement, interval_scores, regression_scores
from endd.studies.method import Method, load_method
from endd.studies.own import check_name, kept_teachers, with_row
from endd.studies.result import Record, Result, records_of
from endd.studies.training import STUDENT_SEEDS, options, say, seeded, timed
from endd.studies.uci_config import Config
from endd.studies.uci_training import Job, all_jobs, family_of, train_ensembles, transfer_inputs, with_steps
from endd.training import distill_many


def add_row(
    before: Result,
    place: str,
    teachers: Path | None = None,
    progress: str = "auto",
    data: str | Path | None = None,
) -> Result:
    """Train the method at FILE.py:NAME on the study's own teachers and add its row."""
    config = Config.from_plain(before.config)
    name, method = load_method(place, family_of(config), FullNormal, config.student_hidden[-1], config.members)
    check_name(before, name, place)
    records: list[Record] = []
    for dataset in config.datasets:
        table = load_uci(dataset, data)
        jobs = all_jobs(config, table)
        folder = None if teachers is None else teachers / dataset
        say(f"uci: {dataset}: {len(jobs)} teachers", progress)
        ensembles = kept_teachers(folder, len(jobs), config, partial(_teachers, config, jobs, progress))
        say(f"uci: {dataset}: training {len(jobs)} students, {name}", progress)
        records += _records(config, dataset, name, method, jobs, ensembles, progress)
    return with_row(before, name, place, records)


def _teachers(config: Config, jobs: list[Job], progress: str) -> list[Ensemble]:
    """Trained as in the study: so many splits at a time, each with a reference after its teacher."""
    found: list[Ensemble] = []
    for start in range(0, len(jobs), config.together):
        twice = [job for job in jobs[start : start + config.together] for _ in range(2)]
        found += train_ensembles(config, twice, progress)[::2]
    return found


def _records(
    config: Config,
    dataset: str,
    name: str,
    method: Method,
    jobs: list[Job],
    ensembles: list[Ensemble],
    progress: str,
) -> Iterator[Record]:
    with timed() as timer:
        students = _trained(config, method, jobs, ensembles, progress)
    for job, teacher, student in zip(jobs, ensembles, students, strict=True):
        x, y = torch.as_tensor(job.split.test.x), torch.as_tensor(job.split.test.y)
        said = {"ensemble": teacher.predict(x), name: student.predict(x)}
        scores = regression_scores(said[name], y) | interval_scores(said[name], y) | agreement(name, said)
        scores["train_seconds"] = timer.seconds / len(jobs)
        yield from records_of(name, dataset, job.split.name, job.seed, scores)


def _trained(
    config: Config, method: Method, jobs: list[Job], ensembles: list[Ensemble], progress: str
) -> list[Student]:
    def build(job: Job) -> Student:
        inputs = job.split.train.x.shape[1]

        def network(outputs: int) -> MLP:
            return MLP(inputs, config.student_hidden, outputs, config.student_activation)

        return method.student(network, family_of(config, job.split), FullNormal, config.student_hidden[-1])

    students = [seeded(STUDENT_SEEDS + job.number, partial(build, job)) for job in jobs]
    pools = [transfer_inputs(config, job) for job in jobs]
    recipe = with_steps(config.student, config.student_steps, min(map(len, pools)))
    how = options(recipe, config.first_seed) | {"progress": progress}
    distill_many(ensembles, students, pools, objective=method.objective, **how)
    return students
