"""Who trains, and from what."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from endd.data import load_uci, uci_splits
from endd.distributions import DiagonalNormal, FullNormal, Point
from endd.models import Ensemble
from endd.studies.training import Trained
from endd.studies.uci_config import Config
from endd.studies.uci_training import Job, arms, as_jobs, train_all, transfer_inputs

TINY = Config().smoke()


@pytest.fixture(scope="module")
def jobs(uci_folder: Path) -> list[Job]:
    return as_jobs(0, uci_splits(load_uci("yacht", uci_folder), "kfold5"))[:2]


@pytest.fixture(scope="module")
def trained(jobs: list[Job]) -> Trained:
    return train_all(TINY, jobs, "none")


def test_names_of_the_arms() -> None:
    named = arms(replace(Config(), mean_weight=0.0))
    assert {name: arm.v for name, arm in named.items()} == {
        "distilled": FullNormal,
        "distilled_diagonal": DiagonalNormal,
        "mixture": Point,
    }
    assert all(arm.objective is None for arm in named.values())
    weighted = arms(replace(Config(), mean_weight=0.5))
    assert weighted["distilled"].objective is not None
    assert weighted["mixture"].objective is None


def test_jobs_of_all_seeds_have_numbers_of_their_own(jobs: list[Job]) -> None:
    splits = [job.split for job in jobs] * 10
    numbers = [job.number for seed in range(3) for job in as_jobs(seed, splits)]
    assert len(set(numbers)) == len(numbers) == 60


def test_every_model_has_a_split_and_a_time(trained: Trained) -> None:
    expected = {"ensemble", "reference", "single", "distilled", "distilled_diagonal", "mixture"}
    assert trained.models.keys() == trained.seconds.keys() == expected
    assert {len(models) for models in trained.models.values()} == {2}
    assert all(seconds > 0 for seconds in trained.seconds.values())


def test_models_speak_in_the_units_of_their_split(trained: Trained, jobs: list[Job]) -> None:
    for models in trained.models.values():
        for model, job in zip(models, jobs, strict=True):
            assert (model.family.shift, model.family.scale) == (job.split.shift, job.split.scale)


def test_all_members_differ_and_the_single_is_the_first(trained: Trained) -> None:
    ensembles = trained.models["ensemble"] + trained.models["reference"]
    weights = [tuple(next(m.parameters()).flatten().tolist()) for e in ensembles for m in _members(e)]
    assert len(set(weights)) == len(weights) == 12
    assert _members(trained.models["single"][0]) == _members(trained.models["ensemble"][0])[:1]


def _members(model: object) -> list[torch.nn.Module]:
    assert isinstance(model, Ensemble)
    return list(model.members)


def test_it_repeats(trained: Trained, jobs: list[Job]) -> None:
    x = torch.as_tensor(jobs[1].split.test.x)
    again = train_all(TINY, jobs, "none")
    for name, models in trained.models.items():
        assert torch.equal(models[1].predict(x).mean, again.models[name][1].predict(x).mean), name


@pytest.mark.parametrize(
    "changed",
    [
        {"validation": 0.0},
        {"loss": "beta_nll"},
        {"pool": 0},
        {"mean_weight": 0.0},
        {"student_validation": 0.2},
        {"student_steps": 10},
    ],
)
def test_settings_matter(changed: dict[str, object], trained: Trained, jobs: list[Job]) -> None:
    other = train_all(replace(TINY, **changed), jobs, "none")
    x = torch.as_tensor(jobs[0].split.test.x)
    ours, theirs = (run.models["distilled"][0].predict(x).mean for run in (trained, other))
    assert not torch.equal(ours, theirs)


def test_transfer_inputs_hold_the_training_inputs(jobs: list[Job]) -> None:
    x = torch.as_tensor(jobs[0].split.train.x)
    assert torch.equal(transfer_inputs(replace(TINY, pool=0), jobs[0]), x)
    pool = transfer_inputs(replace(TINY, pool=4 * len(x), noise=0.1, mix=0.0, swap=0.0), jobs[0])
    assert torch.equal(pool[: len(x)], x)
    assert float((pool[len(x) :] - x.repeat(3, 1)).std()) == pytest.approx(0.1, rel=0.2)
    swapped = transfer_inputs(replace(TINY, pool=4 * len(x), noise=0.0, mix=0.0, swap=1.0), jobs[0])
    assert (swapped[len(x) :] != x.repeat(3, 1)).sum(1).max() == 1


def test_lines_tell_the_stage(jobs: list[Job], capsys: pytest.CaptureFixture[str]) -> None:
    train_all(TINY, jobs[:1], "lines", "uci: yacht")
    told = capsys.readouterr().err
    assert "uci: yacht: training 2 ensembles of 3" in told
    assert "training 1 students of each kind: distilled, distilled_diagonal, mixture" in told
