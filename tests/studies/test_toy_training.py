"""Who trains, and from what."""

from dataclasses import replace

import pytest
import torch

from endd.data import toy_examples
from endd.distributions import DiagonalNormal, FullNormal
from endd.models import Student
from endd.studies.toy_config import PRESETS, Config
from endd.studies.toy_training import arms, draw_inputs, train_all
from endd.studies.training import Trained

TINY = replace(Config().smoke(), weights=())


def train(config: Config) -> Trained:
    data = [toy_examples(64, 3.0, (seed, 0)) for seed in range(config.first_seed, config.first_seed + config.seeds)]
    return train_all(config, data, "none")


@pytest.fixture(scope="module")
def trained() -> Trained:
    return train(TINY)


def test_names_of_the_arms() -> None:
    named = arms(Config())
    sweep = [f"distilled_weight_{w}" for w in ("0", "0.25", "0.5", "0.75", "1")]
    assert list(named) == ["distilled", "mixture", "distilled_labelled", *sweep]
    assert [name for name, arm in named.items() if arm.labelled] == ["distilled_labelled"]
    assert named["distilled_weight_0"].recipe.epochs < named["distilled"].recipe.epochs


def test_the_normal_is_the_configs() -> None:
    assert arms(Config())["distilled"].v is FullNormal
    assert arms(PRESETS["paper"])["distilled"].v is DiagonalNormal


def test_inputs_fill_the_interval() -> None:
    x = draw_inputs(1000, 0)
    assert x.shape == (1000, 1)
    assert float(x.abs().max()) <= 5
    assert float(x.min()) < -4.9


def test_every_model_has_a_seed_and_a_time(trained: Trained) -> None:
    expected = {"ensemble", "reference", "single", "distilled", "mixture", "distilled_labelled"}
    assert trained.models.keys() == trained.seconds.keys() == expected
    assert {len(models) for models in trained.models.values()} == {2}
    assert all(seconds > 0 for seconds in trained.seconds.values())


def test_all_ensembles_differ(trained: Trained) -> None:
    ensembles = trained.models["ensemble"] + trained.models["reference"]
    weights = torch.stack([next(ensemble.parameters()).flatten() for ensemble in ensembles])
    assert len({tuple(row) for row in weights.tolist()}) == 4


def test_it_repeats(trained: Trained) -> None:
    x = torch.linspace(-5, 5, 7).unsqueeze(-1)
    again = train(TINY)
    for name, models in trained.models.items():
        assert torch.equal(models[1].predict(x).mean, again.models[name][1].predict(x).mean), name


def test_labels_matter(trained: Trained) -> None:
    plain, labelled = (trained.models[name][0] for name in ("distilled", "distilled_labelled"))
    assert isinstance(plain, Student)
    assert isinstance(labelled, Student)
    assert not torch.equal(next(plain.parameters()), next(labelled.parameters()))


def test_lines_tell_the_stage(capsys: pytest.CaptureFixture[str]) -> None:
    data = [toy_examples(64, 3.0, 0)]
    train_all(replace(TINY, seeds=1), data, "lines")
    told = capsys.readouterr().err
    assert "toy: training 2 ensembles of 3" in told
    assert "training 1 students, mixture" in told
